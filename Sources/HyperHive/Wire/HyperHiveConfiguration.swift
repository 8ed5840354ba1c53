/// Server, environment, project and device of a client.
public struct HyperHiveConfiguration: Hashable, Sendable {
    /// Version of the server's API; default `v1`.
    public var apiVersion: String
    /// URL of the server, with scheme, with or without a trailing slash: `https://fmp.example.com/`.
    public var host: String
    /// Name of the environment; may contain any characters.
    public var environment: String
    /// Name of the project; may contain any characters.
    public var project: String
    /// ID of the device, which the server binds to the user.
    public var device: String

    /// Creates a configuration. Values are checked when a request is made.
    public init(apiVersion: String = "v1", host: String, environment: String, project: String, device: String) {
        self.apiVersion = apiVersion
        self.host = host
        self.environment = environment
        self.project = project
        self.device = device
    }
}
