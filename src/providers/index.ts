export { ModelCatalog } from './catalog';
export { type ILocalNoticeProps, LocalNotice } from './localnotice';
export { type IModelPickerProps, ModelPicker } from './modelpicker';
export { ProvidersDialog, showProviders } from './providersdialog';
