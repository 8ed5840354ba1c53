public import Foundation
import Synchronization

/// What a session knows about SAP's servers.
final class SAPState: Sendable {
    struct Settings: Sendable {
        var isXCSRFEnabled = false
        var csrfTokenURL: @Sendable (URL) -> URL = { ODataServiceRoot.url(of: $0) }
        var client: String?
        var traceLevel = SDMTraceLevel.medium
        var connection: SMPClientConnection?
    }

    let tokens = CSRFTokens()
    let settings = Mutex(Settings())

    /// Forgets the tokens. The settings and the application connection stay.
    func clear() { tokens.removeAll() }
}

extension SDMSession {
    /// Whether requests use tokens against cross-site request forgery; default false.
    ///
    /// If true, each GET asks for a token (`X-CSRF-Token: Fetch`) until one is known. A write sends it together with
    /// the cookies that came with it, and fetches one before if none is known. If the server rejects it (403 with
    /// `X-CSRF-Token: Required`), the write is sent once more with a new one. Concurrent writes fetch it once. A token
    /// is only sent to the service (see ``csrfTokenURL``), and for the user, that it came from.
    public var isXCSRFEnabled: Bool {
        get { sap.settings.withLock(\.isXCSRFEnabled) }
        set { sap.settings.withLock { $0.isXCSRFEnabled = newValue } }
    }

    /// The URL at which the token for a write to a URL is fetched; default the service document of that URL.
    ///
    /// The default knows `/sap/opu/odata/{namespace}/{service}/`, services that end with `.svc`, and proxies of a SUP
    /// server, `/{proxy}/`. Return a URL of the same origin; the token is not sent to another.
    public var csrfTokenURL: @Sendable (URL) -> URL {
        get { sap.settings.withLock(\.csrfTokenURL) }
        set { sap.settings.withLock { $0.csrfTokenURL = newValue } }
    }

    /// The SAP client, which requests send as `sap-client` unless they have the field; default nil, none. Requests use
    /// the one at their start.
    public var sapClient: String? {
        get { sap.settings.withLock(\.client) }
        set { sap.settings.withLock { $0.client = newValue } }
    }

    /// The level of end-to-end traces; default medium. It is kept for the app.
    public var traceLevel: SDMTraceLevel {
        get { sap.settings.withLock(\.traceLevel) }
        set { sap.settings.withLock { $0.traceLevel = newValue } }
    }

    /// The application connection of SUP requests; default nil, none. Requests use the one at their start.
    public var clientConnection: SMPClientConnection? {
        get { sap.settings.withLock(\.connection) }
        set { sap.settings.withLock { $0.connection = newValue } }
    }
}
