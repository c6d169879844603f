/**
 * The code that asks a Python kernel about its variables.
 *
 * It is one expression, evaluated silently: it stores no name and counts no execution. Variables
 * are listed without running any code of theirs. One is described in a copy of the process, where
 * its `_repr_llm_()` can change no variable of the kernel, prints nowhere, and is ended when its
 * time is over. A copy shares the kernel's connections and open files, though: so no other code of a
 * value runs unless its type is known to have all of it in memory. Where processes cannot be copied
 * (Windows), a trace function ends Python code that takes too long.
 */

/** How long a description may take in the kernel, in seconds. */
export const PYTHON_SECONDS = 2;

/** The code, as users can read it. */
export const PYTHON_SOURCE = String.raw`
import base64, collections, json, os, sys, time

LIMIT = 20_000  # characters of a description
HEAD = 2_000    # characters of a text form
NAME = 100      # characters of a column's name or type
COLUMNS = 50    # columns of a table
ROWS = 5        # rows of a table
ITEMS = 500     # what is looked at within a list, with what is in its items
DEPTH = 6       # lists within lists

UNASKED = (
    "Its content is not shown: asking for it could use a file or a connection of the kernel. "
    "Its class can describe it with a method _repr_llm_()."
)

# Types that have all of their values in memory. The text form of any other one may be made by
# reading a file or asking a server, over what a copy of the kernel shares with it.
SINGLE = (bool, int, float, complex, bytes, bytearray, range, type(None), type, type(len), type(lambda: 0))
MANY = {
    list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}"), set: ("{", "}"),
    frozenset: ("frozenset({", "})"), collections.deque: ("deque([", "])"),
}
PURE = {"datetime", "decimal", "fractions", "pathlib", "re", "uuid"}
IN_MEMORY = {
    "numpy": ("ndarray", "generic"),
    "pandas": ("DataFrame", "Series", "Index", "Categorical", "Timestamp", "Timedelta", "Period"),
    "polars": ("DataFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch", "Array", "ChunkedArray", "Scalar"),
    "scipy.sparse": ("spmatrix", "sparray"),
}

def cut(text, limit):
    """Cut a long text in the middle, and say there how much is left out."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left = f"{len(text) - 2 * half:,}"
    return f"{text[:half]}\n… {left} characters left out …\n{text[-half:]}"

def start(text, limit=NAME):
    """The beginning of a text, on one line."""
    return " ".join(text[:limit].split()) + "…" * (len(text) > limit)

def of_type(kind, key):
    """What a type is called, its module or its bases, without running code of that type."""
    return type.__dict__[key].__get__(kind)

def type_name(value):
    return of_type(type(value), "__name__")

def full_name(kind):
    return f"{of_type(kind, '__module__')}.{of_type(kind, '__qualname__')}"

def is_in_memory(kind):
    """Whether a type is one of a library that has its values in memory."""
    root = str(of_type(kind, "__module__")).partition(".")[0]
    return root in PURE or any(
        issubclass(kind, getattr(sys.modules.get(module), name, ()))
        for module, names in IN_MEMORY.items() if module.partition(".")[0] == root
        for name in names
    )

def variables(namespace):
    """The names and types of the user's variables; modules are left out."""
    hidden = {"In", "Out", "get_ipython", "exit", "quit", "open"}
    return [
        [name, type_name(value)]
        for name, value in list(namespace.items())
        if isinstance(name, str) and not name.startswith("_")
        and name not in hidden and type_name(value) != "module"
    ][-1_000:]  # the newest are last

def holds_objects(value):
    """Whether an array or a column can hold any objects, with text forms of their own."""
    kind = getattr(value, "dtype", None)
    return getattr(kind, "hasobject", False) or str(kind) == "Object"

def shown(value, left=None, depth=1):
    """The text form of a value; of what may not be in memory, the type alone."""
    kind = type(value)
    left = left or iter(range(ITEMS))
    if issubclass(kind, str):
        return str.__repr__(str.__str__(value)[:HEAD])
    for base in SINGLE:
        if issubclass(kind, base):
            return base.__repr__(value)
    for base, (before, after) in MANY.items():
        if issubclass(kind, base):
            items = base.items(value) if base is dict else base.__iter__(value)
            parts = []
            for item in items:
                if depth > DEPTH or next(left, None) is None:
                    parts.append("…")
                    break
                parts.append(
                    ": ".join(shown(one, left, depth + 1) for one in item)
                    if base is dict else shown(item, left, depth + 1)
                )
            if base is set and not parts:
                return "set()"
            return before + ", ".join(parts) + "," * (base is tuple and len(parts) == 1) + after
    if is_in_memory(kind) and not hasattr(value, "columns") and not holds_objects(value):
        return repr(value)
    return f"<{full_name(kind)}>"

def cell_text(value):
    """What a table shows of a value."""
    return start(value if type(value) is str else shown(value))

def table(value):
    """The types of a table's columns and its first rows, as lines."""
    types = value.dtypes
    if hasattr(types, "items"):      # pandas
        pairs = list(types.items())
    else:                            # polars
        pairs = list(zip(value.columns, types))
    lines = ["columns:"]
    lines += [f"  {cell_text(name)}: {start(str(kind))}" for name, kind in pairs[:COLUMNS]]
    if len(pairs) > COLUMNS:
        lines.append(f"  … {len(pairs) - COLUMNS:,} columns left out …")
    if hasattr(value, "to_string"):
        can_be_long = [getattr(kind, "kind", "O") in "OU" for _, kind in pairs[:COLUMNS]]
        text = value.iloc[:ROWS, :COLUMNS].to_string(
            formatters=[cell_text if is_long else None for is_long in can_be_long])
    elif any(str(kind) == "Object" for _, kind in pairs):
        return lines
    else:
        text = str(value.head(ROWS))
    return [*lines, f"first {ROWS} rows:", cut(text, LIMIT // 2)]

def library_lines(value):
    """A value of a library that has it in memory, as lines."""
    kind, lines = type(value), []
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        lines.append(f"shape: {shape}")
    elif hasattr(kind, "__len__"):
        lines.append(f"length: {len(value):,}")
    if hasattr(value, "dtypes") and hasattr(value, "columns"):
        return [*lines, *table(value)]
    if hasattr(value, "dtype"):
        lines.append(f"dtype: {start(str(value.dtype))}")
    if holds_objects(value):
        items = getattr(value, "iloc", getattr(value, "flat", value))
        return [*lines, "", cut(shown(list(items[:ITEMS])), HEAD)]
    return [*lines, "", cut(repr(value), HEAD)]

def lines_of(value):
    """What a model reads of a value that does not describe itself, as lines."""
    kind = type(value)
    if is_in_memory(kind):
        return library_lines(value)
    for base in (str, bytes, bytearray, *MANY):
        if issubclass(kind, base):
            text = str.__str__(value) if base is str else shown(value)
            return [f"length: {base.__len__(value):,}", "", cut(text, HEAD)]
    if issubclass(kind, SINGLE):
        return ["", cut(shown(value), HEAD)]
    return ["", UNASKED]

def describe(value):
    """What a model reads of a value."""
    kind = type(value)
    lines = []
    if any("_repr_llm_" in of_type(base, "__dict__") for base in of_type(kind, "__mro__")):
        try:
            said = value._repr_llm_()
            if isinstance(said, str):
                return cut(said, LIMIT)
            lines.append("_repr_llm_() returned no text.")
        except Exception as error:
            lines.append(f"_repr_llm_() failed: {type_name(error)}: {error}")
    return cut("\n".join([*lines, f"type: {full_name(kind)}", *lines_of(value)]), LIMIT)

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
