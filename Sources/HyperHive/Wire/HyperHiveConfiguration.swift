import HTTPMessages
public import PatchbayErrors

/// Server, environment, project and device of a client.
public struct HyperHiveConfiguration: Hashable, Sendable {
    /// Version of the server's API; default `v1`.
    public var apiVersion: String
    /// URL of the server, with scheme, with or without a trailing slash: `https://fmp.example.com/`.
    ///
    /// Every call fails with `configuration` when it contains a user or password, a query or a fragment.
    public var host: String
    /// Name of the environment; may contain any characters.
    public var environment: String
    /// Name of the project; may contain any characters.
    public var project: String
    /// ID of the device, which the server binds to the user.
    public var device: String
    /// Name of the application, as in release 9.2u9 of the vendor's framework; default empty.
    ///
    /// It belongs to the identity of stored rows, but is in no documented request: a wire of your own may send it.
    public var application = ""

    /// Creates a configuration. Values are checked when a request is made.
    public init(apiVersion: String = "v1", host: String, environment: String, project: String, device: String) {
        self.apiVersion = apiVersion
        self.host = host
        self.environment = environment
        self.project = project
        self.device = device
    }
}

extension HyperHiveConfiguration {
    /// The same values; a host that may contain credentials, which is refused, is a placeholder.
    var redacted: HyperHiveConfiguration {
        var redacted = self
        redacted.host = redactedHost
        return redacted
    }

    /// The host, or a placeholder when it may contain credentials.
    var redactedHost: String {
        let isSafe = (try? HostURL(host)) != nil || !host.contains { "@?#".contains($0) }
        return isSafe ? host : Redaction.placeholder
    }
}

extension HyperHiveConfiguration: RedactedStringConvertible {
    /// Server, environment, project and device, without credentials.
    public var description: String {
        "\(redactedHost), API \(apiVersion), environment \(environment), project \(project), device \(device)"
    }
}
