public import HTTPMessages

/// A layer that sends the cookies of a jar and stores those of responses (RFC 6265bis).
///
/// ```swift
/// let client = CookieKeeping(base: URLSessionTransport.shared)
/// let other = CookieKeeping(base: URLSessionTransport.shared)  // has its own jar
/// client.jar.cookies(for: url)
/// ```
///
/// `RequestOptions.usesCookies` turns it off for one request; `cookieSite` names the page that a request is sent for.
///
/// The request's own `Cookie` field comes first, unchanged; cookies of the jar with the same names are omitted. Place
/// this layer below ``Redirecting``, so it handles the cookies of each redirect.
public struct CookieKeeping<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The cookie jar; copies of this layer share it.
    public let jar: CookieJar

    /// Creates a layer over a transport, with a new jar by default.
    public init(base: Base, jar: CookieJar = CookieJar()) {
        self.base = base
        self.jar = jar
    }

    /// Sends a request with its cookies.
    ///
    /// Cookies are stored for every status, and also when the response fails after its head. After a
    /// ``CookieJar/removeAll()`` or ``CookieJar/removeSessionCookies()`` the requests of a call that began before get
    /// and store none.
    /// - Throws: the base's errors.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await keepCookies(of: request) { try await base.send($0, observer: observer) }
    }

    private func keepCookies<Response: HTTPResponseProtocol>(
        of request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        guard request.options.usesCookies else { return try await send(request) }
        var request = request
        let (field, since) = jar.field(for: request)
        if let field { try request.fields.set(.cookie, to: field) }
        do {
            let response = try await send(request)
            jar.receive(response.head, site: request.options.cookieSite, since: since)
            return response
        } catch let error as TransportError {
            if let head = error.head { jar.receive(head, site: request.options.cookieSite, since: since) }
            throw error
        }
    }
}

extension CookieKeeping: StreamingTransport where Base: StreamingTransport {
    /// Sends a request with its cookies; those of the response are stored when the head arrives.
    /// - Throws: the base's errors before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await keepCookies(of: request) { try await base.stream($0, observer: observer) }
    }
}
