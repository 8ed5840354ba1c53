/// The settings of the core module.
///
/// ```swift
/// let coreContainer = ORACoreDataContainer()
/// coreContainer.putValue("true", forKey: ORAConfigHTTPBackgroundTaskEnabled())
/// ```
public final class ORACoreDataContainer: ORABaseDataContainer {
    /// `ORACORE`
    public override func getModuleId() -> String? { "ORACORE" }

    /// The settings of this module that are known here.
    public override func getConfig(_ key: String) -> ORAConfigSetting? {
        let background = ORAConfigHTTPBackgroundTaskEnabled()
        return background.keyName() == key ? background : nil
    }

    /// Whether requests go on in the background.
    var isBackgroundTaskEnabled: Bool { getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true" }
}
