export * from './blocks';
export * from './pipeline';
export * from './registry';
export * from './renderers';
export * from './streaming';
export * from './visibility';
