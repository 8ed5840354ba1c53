public import Foundation
public import HTTPMessages

/// A way to sign requests; ``SigningRequests`` calls it for each attempt.
///
/// ``HTTPMessageSignature`` and ``AWSSignatureV4`` conform. Its methods may run on any thread, at the same time.
public protocol RequestSigner: Sendable {
    /// The statuses by which a server refuses a signature. With a `Date` that shows a wrong local clock, the request is
    /// signed again at the server's time, once, as ``SigningRequests`` says. Default: 401 and 403.
    var refusals: Set<HTTPStatus> { get }

    /// Signs a request.
    /// - Parameters:
    ///   - request: the request with all fields of the layers; it may get another body.
    ///   - date: the time, that of the server as far as it is known.
    /// - Throws: any error; the call fails with it, and nothing is sent.
    func sign(_ request: inout HTTPRequest, at date: Date) async throws
}

extension RequestSigner {
    /// Default: 401 and 403.
    public var refusals: Set<HTTPStatus> { [.unauthorized, .forbidden] }
}
