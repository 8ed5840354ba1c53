import Foundation
import Synchronization
public import Transport

/// The class of version 2.2 of the vendor's library.
public typealias ODPClientConnection = SMPClientConnection

extension SMPClientConnection {
    /// Creates the connection of the shared session, whose SUP requests use it from now on.
    /// - Parameter store: keeps the registrations; default nil, only for the process.
    @discardableResult
    public static func initializeWithAppID(
        _ appID: String, domain: String?, secConfiguration: String?, store: (any SMPRegistrationStore)? = nil
    ) -> SMPClientConnection {
        let connection = SMPClientConnection(
            applicationID: appID, domain: domain, securityConfiguration: secConfiguration, store: store)
        SDMSession.shared.clientConnection = connection
        return connection
    }

    /// The connection of the shared session, if it is of this application; else a new one.
    public static func getInstance(_ appID: String) -> SMPClientConnection {
        if let connection = SDMSession.shared.clientConnection, connection.applicationID == appID { return connection }
        return initializeWithAppID(appID, domain: nil, secConfiguration: nil)
    }

    /// Sets the server.
    /// - Parameters:
    ///   - port: 1 to 65535; nil or empty for that of the scheme, 80 or 443.
    ///   - relayServerUrlTemplate: the path of a relay server, such as `/ias_relay_server/client/rs_client.dll`; see
    ///     ``SMPConnectionProfile/init(host:port:farm:relayServerURLTemplate:isSecure:)``.
    ///   - enableHTTP: true for http, false for https. The vendor's documents leave it open.
    /// - Returns: false if a parameter is invalid; nothing changes then.
    @discardableResult
    public func setConnectionProfileWithHost(
        _ host: String, port: String?, farm: String? = nil, relayServerUrlTemplate: String? = nil,
        enableHTTP: Bool = true
    ) -> Bool {
        let port = port ?? ""
        guard let number = port.isEmpty ? (enableHTTP ? 80 : 443) : Int(port) else { return false }
        return setConnectionProfileWithHost(
            host, port: number, farm: farm, relayServerUrlTemplate: relayServerUrlTemplate, enableHTTP: enableHTTP)
    }

    /// Sets the server, with a port that is a number.
    /// - Returns: false if a parameter is invalid; nothing changes then.
    @discardableResult
    public func setConnectionProfileWithHost(
        _ host: String, port: Int, farm: String? = nil, relayServerUrlTemplate: String? = nil, enableHTTP: Bool = true
    ) -> Bool {
        let profile = try? SMPConnectionProfile(
            host: host, port: port, farm: farm, relayServerURLTemplate: relayServerUrlTemplate, isSecure: !enableHTTP)
        guard let profile else { return false }
        self.profile = profile
        return true
    }

    /// Sets the server by its URL.
    /// - Returns: false if it is not an absolute http or https URL; nothing changes then.
    @discardableResult
    public func setConnectionProfileWithUrl(_ url: String) -> Bool {
        guard let url = URL(string: url), let profile = try? SMPConnectionProfile(baseURL: url) else { return false }
        self.profile = profile
        return true
    }

    /// Sets the certificate of the client. The vendor's type is `SecIdentityRef`, which exists on Apple's platforms
    /// only.
    public func setClientIdentityCertificate(_ certificate: URLSessionTransport.ClientCertificate?) {
        clientCertificate = certificate
    }

    /// Sets the identifier of a connection that was registered elsewhere, such as by an administrator.
    /// - Throws: ``SMPError`` (`emptyParameters` for an empty or invalid identifier, or without a server; `store`).
    public func setRegistration(connectionID id: String) throws(SMPError) {
        guard SMPConnectionID.isValid(id) else {
            throw SMPError(
                .emptyParameters, "Invalid application connection ID; use 1 to 128 printable ASCII characters.")
        }
        guard let profile else { throw Self.noProfile }
        let location = profile.connection(id, of: applicationID, version: version, isAnonymous: isAnonymous)
        try keep(
            SMPRegistration(
                applicationID: applicationID, connectionID: id, location: location.absoluteString,
                style: state.withLock(\.style)), at: profile, isOfApp: true)
    }

    /// ``setRegistration(connectionID:)`` under the vendor's name, which reports a failure as a warning.
    /// - Returns: false if it failed.
    @discardableResult
    public func setApplicationConnectionID(_ id: String) -> Bool {
        do {
            try setRegistration(connectionID: id)
            return true
        } catch {
            session.configuration.warn("setApplicationConnectionID failed: \(error)")
            return false
        }
    }

    /// The identifier of the registration; nil without one, and if its store cannot be read. See ``registration()``.
    public var applicationConnectionID: String! { (try? registration())?.connectionID }

    /// ``securityConfiguration`` under the vendor's name.
    public var securityConfig: String! { securityConfiguration }

    /// Host and port of the server as its URL has them; nil without a server.
    public var hostPort: String! { profile.map { Self.hostPort(of: $0.baseURL) } }

    private static func hostPort(of url: URL) -> String {
        (url.host(percentEncoded: true) ?? "") + (url.port.map { ":\($0)" } ?? "")
    }

    /// Sets the level of end-to-end traces of the session.
    public func setTraceLevel(_ level: SDMTraceLevel) { session.traceLevel = level }

    /// The level of end-to-end traces of the session.
    public func getTraceLevel() -> SDMTraceLevel { session.traceLevel }

    /// Without effect: the REST interface has no verification key, since TLS verifies the server.
    public static func clearServerVerificationKey() {}

    /// Cancels the requests in the session's queue. The registration stays.
    public func stopClient() { session.sharedQueue.cancelAllOperations() }
}

// The names that Swift's importer derives.

extension SMPClientConnection {
    /// ``initializeWithAppID(_:domain:secConfiguration:store:)``
    @discardableResult
    public static func initialize(
        withAppID appID: String, domain: String?, secConfiguration: String?, store: (any SMPRegistrationStore)? = nil
    ) -> SMPClientConnection {
        initializeWithAppID(appID, domain: domain, secConfiguration: secConfiguration, store: store)
    }

    /// `setConnectionProfileWithHost(_:port:farm:relayServerUrlTemplate:enableHTTP:)`
    @discardableResult
    public func setConnectionProfile(
        withHost host: String, port: String?, farm: String? = nil, relayServerUrlTemplate: String? = nil,
        enableHTTP: Bool = true
    ) -> Bool {
        setConnectionProfileWithHost(
            host, port: port, farm: farm, relayServerUrlTemplate: relayServerUrlTemplate, enableHTTP: enableHTTP)
    }

    /// ``setConnectionProfileWithUrl(_:)``
    @discardableResult
    public func setConnectionProfile(withUrl url: String) -> Bool { setConnectionProfileWithUrl(url) }
}
