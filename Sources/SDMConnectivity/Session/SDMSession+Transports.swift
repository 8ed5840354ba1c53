import HTTPMessages
import Transport

extension SDMSession {
    /// The transport for an attempt: the session's, or one with the request's connection options.
    /// - Parameter isHome: false after a redirect to another origin, which gets neither the client's certificate nor an
    ///   unchecked connection.
    /// - Throws: ``SDMError``, or the errors of `Configuration.makeTransport`.
    func transport(for settings: SDMRequestSettings, isHome: Bool) throws -> AnyTransport {
        let options = ConnectionOptions(
            validatesSecureCertificate: settings.validatesSecureCertificate,
            clientCertificate: settings.clientCertificateIdentity)
        // Certificates have no meaning without TLS.
        guard options != ConnectionOptions(), isHome, settings.url.map({ Origin($0).isSecure }) ?? false else {
            return transport
        }
        return try transports.transport(for: options) { try configuration.makeTransport(options) }
    }
}

extension SDMRequestSettings {
    /// Checks that the platform supports the settings, before anything is sent.
    func checkSupport(_ session: SDMSession) throws(SDMError) {
        if useHTTPVersionOne {
            throw SDMError(
                .internalErrorWhileBuildingRequest, "URLSession cannot send HTTP/1.0; leave `useHTTPVersionOne` false.")
        }
        if !clientCertificates.isEmpty {
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "`clientCertificates` is not supported; put the chain into the PKCS #12 data of "
                    + "`clientCertificateIdentity`.")
        }
        if useKeychainPersistence, session.configuration.savedCredentials == nil {
            throw SDMError(
                .internalErrorWhileBuildingRequest,
                "`useKeychainPersistence` needs a store; set `SDMSession.Configuration.savedCredentials`.")
        }
    }
}
