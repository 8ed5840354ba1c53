/// A setting of the core module, which ``ORACoreDataContainer`` keeps.
open class ORACoreConfigSetting: ORAConfigSetting {}
