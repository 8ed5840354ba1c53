public import Foundation

/// The configuration of a ``WLClient``, usually read from `mfpclient.plist`.
///
/// ```swift
/// var configuration = WLConfiguration(serverURL: "https://mfp.example.com/mfp", applicationID: "com.example.app")
/// configuration.timeoutUnit = .milliseconds
/// try WLClient.configureShared(configuration)
/// ```
public struct WLConfiguration: Sendable {
    /// The URL of the server with its context, such as `https://mfp.example.com/mfp`; with or without a slash at the
    /// end.
    public var serverURL: String
    /// The identifier of the app, as registered on the server; default the bundle identifier.
    public var applicationID: String
    /// The version of the app; default the bundle's. A changed version updates the registration.
    public var applicationVersion: String?
    /// The platform in the registration and in the issuer of assertions; default `ios`.
    public var clientPlatform = "ios"
    /// The identifier of the device; nil generates one and keeps it with the registration.
    public var deviceID: String?
    /// The hardware in the registration; default `unknown`.
    public var deviceHardware = "unknown"
    /// The header `Accept-Language`; default `en`.
    public var languagePreferences = "en"
    /// Whether refresh tokens are used, if the server issues them (`wlEnableRefreshToken`); default false.
    public var usesRefreshTokens = false
    /// The unit of a request's `timeout`; default seconds.
    public var timeoutUnit = WLTimeoutUnit.seconds
    /// The default timeout of requests in seconds; default 30.
    public var requestTimeout: TimeInterval = 30
    /// The timeout of each request to the authorization server in seconds; default 10.
    ///
    /// It applies to registration, preauthorization, authorization, token, login and logout each. The time that a user
    /// takes for a challenge is not limited.
    public var loginTimeout: TimeInterval = 10
    /// The interval of heartbeats in seconds; default 420. Zero or less disables them.
    public var heartbeatInterval: TimeInterval = 420
    /// URLs of other servers that may get the server's tokens; default none. Paths are ignored.
    public var trustedURLs: [String] = []
    /// Whether every server that asks for a token gets one, as with the vendor's SDK; default false.
    ///
    /// **Unsafe**: any server whose absolute URL the app requests can then get a token of the user.
    public var sendsTokensToEveryServer = false
    /// Whether passwords and tokens may be sent to `http` servers other than this machine, unencrypted; default false.
    ///
    /// **Unsafe**: an attacker in the network can read them. For servers in development only.
    public var allowsInsecureServers = false
    /// The redirect URI of the authorization endpoint, which is never opened; default `http://mfpredirecturi`.
    public var redirectURI = "http://mfpredirecturi"
    /// The maximum size of a response body in memory, in bytes; default 64 MiB.
    public var maximumResponseBytes = 64 << 20
    /// Maps a backend service and a path to an absolute URL, for requests with a `backendServiceName`; default nil.
    ///
    /// The vendor has not published the URL of its API Connector, so there is no default. Returning nil fails the
    /// request with `unknownBackendService`.
    public var backendServiceURL: (@Sendable (_ service: String, _ path: String) -> String?)?
    /// Receives warnings for developers, without secrets; default standard error.
    public var warn: @Sendable (String) -> Void = { FileHandle.standardError.write(Data("MobileFirst: \($0)\n".utf8)) }

    /// Creates a configuration.
    /// - Parameter applicationID: nil is the bundle identifier, or else the name of the process.
    public init(serverURL: String, applicationID: String? = nil, applicationVersion: String? = nil) {
        self.serverURL = serverURL
        self.applicationID = applicationID ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        self.applicationVersion =
            applicationVersion ?? Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    }
}
