import Coordination
public import Foundation
import Synchronization

/// The settings of a session for SAP's servers, and the CSRF tokens of its user.
struct SAPState: Sendable {
    var isXCSRFEnabled = false
    var csrfTokenURL: @Sendable (URL) -> URL = { ODataServiceRoot.url(of: $0) }
    var client: String?
    var traceLevel = SDMTraceLevel.medium
    var connection: SMPClientConnection?
    /// The tokens since the last `clear()`. A request uses those of its start, so it keeps nothing for a later user.
    var tokens = CSRFTokens()
}

/// A session as it is when the app starts a request: later changes of the session are not for this request.
typealias SessionSnapshot = Session<SAPState, Never>.Snapshot

extension SDMSession {
    /// Whether requests use tokens against cross-site request forgery; default false.
    ///
    /// If true, each GET asks for a token (`X-CSRF-Token: Fetch`) until one is known. A write sends it together with
    /// the cookies that came with it, and fetches one before if none is known. If the server rejects it (403 with
    /// `X-CSRF-Token: Required`), the write is sent once more with a new one. Concurrent writes fetch it once. A token
    /// is only sent to the service (see ``csrfTokenURL``), and for the user, that it came from: by the
    /// credentials that are sent, else by the cookies, such as that of a login.
    public var isXCSRFEnabled: Bool {
        get { sap.read(\.isXCSRFEnabled) }
        set { sap.change { $0.isXCSRFEnabled = newValue } }
    }

    /// The URL at which the token for a write to a URL is fetched; default the service document of that URL.
    ///
    /// The default knows `/sap/opu/odata/{namespace}/{service}/`, services that end with `.svc`, and proxies of a SUP
    /// server, `/{proxy}/`. Return a URL of the same origin; the token is not sent to another.
    public var csrfTokenURL: @Sendable (URL) -> URL {
        get { sap.read(\.csrfTokenURL) }
        set { sap.change { $0.csrfTokenURL = newValue } }
    }

    /// The SAP client, which requests send as `sap-client` unless they have the field; default nil, none. Requests use
    /// the one at their start.
    public var sapClient: String? {
        get { sap.read(\.client) }
        set { sap.change { $0.client = newValue } }
    }

    /// The level of end-to-end traces; default medium. It is kept for the app.
    public var traceLevel: SDMTraceLevel {
        get { sap.read(\.traceLevel) }
        set { sap.change { $0.traceLevel = newValue } }
    }

    /// The application connection of SUP requests; default nil, none. Requests use the one at their start.
    public var clientConnection: SMPClientConnection? {
        get { sap.read(\.connection) }
        set { sap.change { $0.connection = newValue } }
    }
}
