/**
 * The code that asks a Python kernel about its variables.
 *
 * It is one expression, evaluated silently: it stores no name and counts no execution. Variables
 * are listed without running any code of theirs. To describe one, its own code has to run
 * (`_repr_llm_()`, `__repr__()`); that happens in a copy of the process, where it can change
 * nothing that the kernel has, prints nowhere, and is ended when its time is over. Where processes
 * cannot be copied (Windows), a trace function ends Python code that takes too long.
 */

/** How long a description may take in the kernel, in seconds. */
export const PYTHON_SECONDS = 2;

/** The code, as users can read it. */
export const PYTHON_SOURCE = String.raw`
import base64, json, os, sys, time

LIMIT = 20_000  # characters of a description
HEAD = 2_000    # characters of a text form
ROWS = 5        # rows of a table

def cut(text, limit):
    """Cut a long text in the middle, and say there how much is left out."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left = f"{len(text) - 2 * half:,}"
    return f"{text[:half]}\n… {left} characters left out …\n{text[-half:]}"

def type_name(value):
    """The name of a value's type, without running code of that type."""
    return type.__dict__["__name__"].__get__(type(value))

def variables(namespace):
    """The names and types of the user's variables; modules are left out."""
    hidden = {"In", "Out", "get_ipython", "exit", "quit", "open"}
    return [
        [name, type_name(value)]
        for name, value in list(namespace.items())
        if isinstance(name, str) and not name.startswith("_")
        and name not in hidden and type_name(value) != "module"
    ][-1_000:]  # the newest are last

def table(value):
    """The types of a table's columns and its first rows, as lines."""
    types = value.dtypes
    if hasattr(types, "items"):      # pandas
        pairs = list(types.items())
    else:                            # polars
        pairs = list(zip(value.columns, types))
    lines = ["columns:", *(f"  {name}: {kind}" for name, kind in pairs[:50])]
    if len(pairs) > 50:
        lines.append(f"  … {len(pairs) - 50:,} columns left out …")
    head = value.head(ROWS)
    text = head.to_string() if hasattr(head, "to_string") else str(head)
    return [*lines, f"first {ROWS} rows:", cut(text, LIMIT // 2)]

def describe(value):
    """What a model reads of a value."""
    kind = type(value)
    lines = []
    if hasattr(kind, "_repr_llm_"):
        try:
            said = value._repr_llm_()
            if isinstance(said, str):
                return cut(said, LIMIT)
            lines.append("_repr_llm_() returned no text.")
        except Exception as error:
            lines.append(f"_repr_llm_() failed: {type_name(error)}: {error}")
    lines.append(f"type: {kind.__module__}.{kind.__qualname__}")
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        lines.append(f"shape: {shape}")
    elif hasattr(kind, "__len__"):
        lines.append(f"length: {len(value):,}")
    if hasattr(value, "dtypes") and hasattr(value, "columns"):
        return "\n".join([*lines, *table(value)])
    if hasattr(value, "dtype"):
        lines.append(f"dtype: {value.dtype}")
    text = cut(value if isinstance(value, str) else repr(value), HEAD)
    return "\n".join([*lines, "", text])

def told(value):
    """A description as JSON, whatever the value does."""
    try:
        return json.dumps({"text": describe(value)})
    except BaseException as error:
        return json.dumps({"error": f"{type_name(error)}: {error}"[:500]})

def in_a_copy(value, seconds):
    """Describe a value in a copy of this process, which is ended when its time is over."""
    import select, signal, warnings
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the kernel's threads, which a copy does not have
        child = os.fork()
    if not child:
        try:
            os.setpgid(0, 0)
            os.close(read)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            sys.stdin = sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = open(os.devnull, "r+")
            sys.settrace(None)
            with open(write, "wb") as answer:
                answer.write(told(value).encode())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    answer, end = b"", time.monotonic() + seconds
    try:
        os.close(write)
        while len(answer) < 1_000_000:
            left = end - time.monotonic()
            if left <= 0 or not select.select([read], [], [], left)[0]:
                return {"late": True}
            piece = os.read(read, 65536)
            if not piece:
                break
            answer += piece
        return json.loads(answer)
    except ValueError:
        return {"error": "it ended the process that described it"}
    finally:
        os.close(read)
        for end_it in (os.killpg, os.kill):  # with what it started; it may not lead a group yet
            try:
                end_it(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass  # the user's program collects ended processes itself

def here(value, seconds):
    """Describe a value in this process, where a trace function ends what takes too long."""
    import contextlib, io
    end = time.monotonic() + seconds

    class Late(BaseException):
        pass

    def watch(frame, event, argument):
        frame.f_trace_opcodes = True  # a loop within one line has no other events
        if time.monotonic() > end:
            raise Late
        return watch

    before = sys.gettrace()
    nowhere = io.StringIO()
    try:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            sys.settrace(watch)
            return {"text": describe(value)}
    except Late:
        return {"late": True}
    except Exception as error:
        return {"error": f"{type_name(error)}: {error}"[:500]}
    finally:
        sys.settrace(before)

def answer(namespace, name, seconds):
    if name is None:
        found = {"variables": variables(namespace)}
    elif name not in namespace:
        found = {"gone": True}
    elif hasattr(os, "fork"):
        try:
            found = in_a_copy(namespace[name], seconds)
        except OSError:  # no memory for a copy
            found = here(namespace[name], seconds)
    else:
        found = here(namespace[name], seconds)
    return base64.b64encode(json.dumps(found).encode()).decode()
`.trim();

/**
 * The expression that runs the code, in a namespace of its own.
 *
 * @param name - The variable to describe; null to list all.
 */
export function pythonExpression(name: string | null): string {
  const args = `b.globals(), ${name === null ? 'None' : JSON.stringify(name)}, ${PYTHON_SECONDS}`;
  const code = JSON.stringify(PYTHON_SOURCE);
  return `(lambda b, own: (b.exec(${code}, own), own["answer"](${args}))[1])(__import__("builtins"), {"__name__": "turnbook"})`;
}
