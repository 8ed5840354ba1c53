/// Names of header fields of SAP's servers.
enum SAPField {
    /// The SAP client, such as `100`.
    static let client = "sap-client"
}

/// The prefix of a server's header fields and cookies.
public enum SMPHeaderStyle: String, Hashable, Sendable, CaseIterable {
    /// `X-SUP-`, of Sybase Unwired Platform 2. SAP Mobile Platform 3 accepts it too.
    case sup = "X-SUP-"
    /// `X-SMP-`, of SAP Mobile Platform 3.
    case smp = "X-SMP-"

    /// The identifier of an application connection, a header field and a cookie.
    var connectionID: String { rawValue + "APPCID" }
    /// The server's session, a cookie.
    var sessionID: String { rawValue + "SESSID" }
    /// The URL to which the server forwards, a header field.
    var backendURL: String { rawValue + "BACKEND-URL" }
    /// The domain. No public document confirms the name.
    var domain: String { rawValue + "DOMAIN" }
    /// The security configuration. No public document confirms the name.
    var securityConfiguration: String { rawValue + "SC" }
}
