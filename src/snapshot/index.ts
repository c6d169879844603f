export * from './apply';
export * from './capture';
export * from './complete';
export * from './model';
export * from './places';
export * from './validate';
