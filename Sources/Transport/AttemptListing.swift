package import HTTPMessages

/// An error that lists the attempts of its request.
package protocol AttemptListing: Error {
    var attempts: [TransportError.AttemptRecord] { get set }
    var request: String? { get }
    var originalRequest: TransportError.OriginalRequest? { get set }
    /// What the error is in a list of attempts.
    var attemptCause: TransportError.AttemptRecord.Cause { get }
    /// The wait that the server, or the layer that refused the request, asks for.
    var retryAfter: Duration? { get }
    /// True if a transfer may continue later.
    /// - Parameter hasProgress: true if an earlier request has reached the server.
    func isInterruption(hasProgress: Bool) -> Bool
}

extension TransportError: AttemptListing {}

extension AttemptListing {
    /// False for an error of another request, to which a redirect led.
    package func isOf(_ request: HTTPRequest) -> Bool {
        switch originalRequest {
        case .described(let description): description == request.description
        case .redirected: false
        case nil: self.request.map { $0 == request.description } ?? true
        }
    }
}

extension Error {
    /// The error of an attempt with another URL, such as that of another host, as one of the request itself.
    ///
    /// An error of the target of a redirect does not become one of the request, even if a server has redirected to the
    /// host of the request.
    package func ofRequest(_ request: HTTPRequest, sentAs attempt: HTTPRequest) -> any Error {
        guard var error = self as? any AttemptListing else { return self }
        error.originalRequest = error.isOf(attempt) ? .described(request.description) : .redirected
        return error
    }
}
