/// Whether requests continue while the app is in the background; default `false`.
///
/// The manager reads it at each transition to the background. The vendor's pages do not show the setting's name; it
/// follows the pattern of the names that they show.
public final class ORAConfigHTTPBackgroundTaskEnabled: ORABooleanSetting {
    /// `ora_dc_http_background_task_enabled`
    public override func keyName() -> String? { "ora_dc_http_background_task_enabled" }

    /// The purpose of the setting.
    public override func keyDescription() -> String? {
        "Whether HTTP requests are processed while the app is in the background"
    }
}
