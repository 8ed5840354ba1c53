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
        try await keepCookies(of: request) { try await base.send($0, observer: observer) }
    }

    private func keepCookies<Answer: HTTPAnswer>(
        of request: HTTPRequest, _ send: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        var request = request
        if let field = jar.field(for: request.url, joining: request.fields.values(of: .cookie)) {
            try request.fields.set(.cookie, to: field)
        }
        do {
            let answer = try await send(request)
            jar.receive(answer.head)
            return answer
        } catch let error as TransportError {
            if let head = error.head { jar.receive(head) }
            throw error
        }
    }
}

extension CookieKeeping: StreamingTransport where Base: StreamingTransport {
    /// Sends a request with its cookies. Those that come back are kept as soon as the head has come.
    /// - Throws: what the base throws before the head has come.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        try await keepCookies(of: request) { try await base.stream($0, observer: observer) }
    }
}
