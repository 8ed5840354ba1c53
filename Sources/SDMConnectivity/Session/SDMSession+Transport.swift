import HTTPMessages
import Transport

extension SDMSession {
    /// The transport for an attempt of a request: the session's, or one with the request's connection options.
    /// - Parameter isHome: false after a redirect to another origin, which gets neither the client's certificate nor an
    ///   unchecked connection.
    /// - Throws: the errors of ``makeTransport(_:)``.
    func transport(for request: SDMHttpRequest, _ settings: SDMRequestSettings, isHome: Bool) throws -> AnyTransport {
        let options = ConnectionOptions(
            validatesSecureCertificate: settings.validatesSecureCertificate,
            clientCertificate: settings.clientCertificateIdentity)
        // Certificates have no meaning without TLS.
        guard options != ConnectionOptions(), isHome, settings.url.map({ Origin($0).isSecure }) ?? false else {
            return limitedTransport
        }
        let transport = try transports.transport(for: options, isKept: { request.belongsToSession }) {
            try makeTransport(options)
        }
        return bandwidth.limiting(transport)
    }

    /// Makes a transport for connection options: as the app says, or like that of the session.
    ///
    /// One over the network alone would leave out the app's layers, its pinned keys and its trusted authorities.
    /// - Throws: the errors of `Configuration.makeTransport`; `TransportError` (`unsupported`) if the session's
    ///   transport is not a `URLSessionTransport` alone.
    private func makeTransport(_ options: ConnectionOptions) throws -> AnyTransport {
        if let make = configuration.makeTransport { return try make(options) }
        guard let network = transport.base as? URLSessionTransport else {
            throw TransportError(
                .unsupported,
                "The session's transport is not a URLSessionTransport alone, so it cannot get a client's certificate or "
                    + "turn off the check of the server's; set `SDMSession.Configuration.makeTransport`.")
        }
        return AnyTransport(
            try network.changed { network in
                if let certificate = options.clientCertificate { network.clientCertificate = certificate }
                if !options.validatesSecureCertificate { network.verifiesServerCertificates = false }
            })
    }
}
