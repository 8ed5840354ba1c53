/// Whether requests go on while the app is in the background; default `false`.
///
/// The manager looks at it whenever the app goes to the background. The vendor's pages do not show the setting's name;
/// it follows the pattern of those that they show.
public final class ORAConfigHTTPBackgroundTaskEnabled: ORABooleanSetting {
    /// `ora_dc_http_background_task_enabled`
    public override func keyName() -> String? { "ora_dc_http_background_task_enabled" }

    /// What the setting is for.
    public override func keyDescription() -> String? {
        "Whether HTTP requests are processed while the app is in the background"
    }
}
