public import HTTPMessages

/// Sends the cookies of a jar with each request, and keeps those that come back (RFC 6265bis).
///
/// ```swift
/// let client = CookieKeeping(base: URLSessionTransport.shared)
/// let other = CookieKeeping(base: URLSessionTransport.shared)  // has a jar of its own
/// client.jar.cookies(for: url)
/// ```
///
/// A `Cookie` field of the caller's own is sent first and as it is; a cookie of the jar with a name that occurs there is
/// left out. Put this layer inside ``Redirecting``, so that cookies are set and sent at every stop.
public struct CookieKeeping<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The cookies. A copy of this layer has the same jar.
    public let jar: CookieJar

    /// A layer over a transport; without a jar it has a new one of its own.
    public init(base: Base, jar: CookieJar = CookieJar()) {
        self.base = base
        self.jar = jar
    }

    /// Sends a request with its cookies.
    ///
    /// Cookies are kept whatever the status, and also when the response fails after its head has come.
    /// - Throws: what the base throws.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        var request = request
        if let field = jar.field(for: request.url, joining: request.fields.values(of: .cookie)) {
            try request.fields.set(.cookie, to: field)
        }
        do {
            let response = try await base.send(request, observer: observer)
            jar.receive(response.head)
            return response
        } catch let error as TransportError {
            if let head = error.head { jar.receive(head) }
            throw error
        }
    }
}
