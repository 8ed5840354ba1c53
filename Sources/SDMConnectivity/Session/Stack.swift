import HTTPMessages
import Transport

// SDMNetworkQueue > CallRunner: cache > redirects > passwords > CSRF tokens > cookies > bandwidth
// > the session's transport
//
// The vendor's rules of each step depend on the request's delegate and settings, which may change between two attempts,
// so the steps are those of the runner, and not layers. The app's own layers are in the session's transport.

extension SDMSession {
    /// The transport for an attempt of a request: the session's, or one with the request's connection options.
    /// - Parameter isHome: false after a redirect to another origin, which gets neither the client's certificate nor an
    ///   unchecked connection.
    /// - Throws: ``SDMError``, or the errors of `Configuration.makeTransport`.
    func transport(for request: SDMHttpRequest, _ settings: SDMRequestSettings, isHome: Bool) throws -> AnyTransport {
        let options = ConnectionOptions(
            validatesSecureCertificate: settings.validatesSecureCertificate,
            clientCertificate: settings.clientCertificateIdentity)
        // Certificates have no meaning without TLS.
        guard options != ConnectionOptions(), isHome, settings.url.map({ Origin($0).isSecure }) ?? false else {
            return limitedTransport
        }
        let transport = try transports.transport(for: options, isKept: { request.belongsToSession }) {
            try configuration.makeTransport(options)
        }
        return bandwidth.limiting(transport)
    }
}
