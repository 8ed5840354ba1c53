import Foundation
import HTTPMessages
import Synchronization
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension SDMHttpRequest {
    /// Changes the results.
    func update(_ change: (inout SDMRequestResults) -> Void) { state.withLock { change(&$0.results) } }

    /// Drops the body received so far, before another attempt.
    func resetBody() {
        update { results in
            results.body = nil
            results.totalBytesRead = 0
            results.isInFile = false
            results.totalBytesSent = 0
        }
    }

    /// Takes the results of a response head.
    func receive(_ head: HTTPResponseHead) {
        let cookies = session.cookies.cookies(in: head).compactMap(HTTPCookie.init(cookie:))
        let headers = SDMResponseHeaders(head.fields)
        state.withLock { state in
            let keepAlive = KeepAlive(head, isWanted: state.settings.shouldAttemptPersistentConnection)
            if let seconds = keepAlive.seconds { state.settings.persistentConnectionTimeoutSeconds = seconds }
            state.results.head = head
            state.results.connectionCanBeReused = keepAlive.isReusable
            state.results.responseStatusCode = head.status.code
            state.results.responseStatusMessage = "HTTP/1.1 \(head.status)"
            state.results.responseHeaders = headers
            state.results.responseCookies = cookies
            state.results.responseEncoding = String.Encoding(of: head) ?? state.settings.defaultResponseEncoding
            state.results.contentLength = head.declaredLength ?? 0
            state.results.isResponseCompressed = head.isCompressed
        }
        if self.useCookiePersistence { session.cookies.receive(head) { keepsCookies(of: head) } }
    }
}

extension HTTPResponseHead {
    /// The declared length of the body; nil if unknown.
    var declaredLength: Int64? {
        guard !fields.contains(.transferEncoding), let length = fields[.contentLength].flatMap({ Int64($0) }) else {
            return nil
        }
        return length >= 0 ? length : nil
    }

    /// True when the server compressed the body with gzip.
    var isCompressed: Bool {
        (decodedContentCodings ?? fields[.contentEncoding])?.lowercased().contains("gzip") ?? false
    }
}

extension HTTPCookie {
    /// Converts a cookie; nil if Foundation does not accept it.
    convenience init?(cookie: Cookie) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .path: cookie.path,
            .domain: cookie.isHostOnly ? cookie.domain : "." + cookie.domain,
        ]
        if let expires = cookie.expires { properties[.expires] = expires }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        self.init(properties: properties)
    }
}
