import Foundation
import Synchronization
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension SDMHttpRequest {
    /// Sets a header field, replacing one of the same name in any case.
    ///
    /// An invalid name or value, and a field that the transport sets itself, fail the request when it starts. A
    /// `Content-Length` is ignored, since the transport sets it.
    public func addRequestHeader(_ header: String, value: String) {
        state.withLock { $0.headers.set(header, to: value) }
    }

    /// Removes a header field.
    public func removeRequestHeader(_ header: String) { state.withLock { $0.headers.set(header, to: nil) } }

    /// The header fields by name, as the app and ``buildRequestHeaders()`` have set them.
    ///
    /// Setting them is for fields of the app: fields that are missing are removed.
    public var requestHeaders: [String: String] {
        get { state.withLock(\.headers.dictionary) }
        set { state.withLock { $0.headers.replace(with: newValue) } }
    }

    /// The value of a header field by its name in any case.
    public func requestHeader(_ name: String) -> String? { state.withLock { $0.headers[name] } }

    /// Sets a header field of the library, unless the app has set one; removed before the headers are built again.
    func generateHeader(_ header: String, _ value: String) { state.withLock { $0.headers.generate(header, value) } }

    /// Sets `If-Match`, `If-None-Match` or `If-Range`.
    public func setEtag(_ etag: String, with matchType: SDMEtagMatchType) {
        addRequestHeader(matchType.header, value: etag)
    }

    /// ``setEtag(_:with:)`` under the vendor's name.
    public func setEtag(_ etag: String, withMatchType matchType: SDMEtagMatchType) { setEtag(etag, with: matchType) }

    /// Sets `Authorization` for Basic, and `authenticationScheme`.
    public func addBasicAuthenticationHeader(withUsername username: String, andPassword password: String) {
        addRequestHeader("Authorization", value: Self.basic(username, password))
        self.authenticationScheme = SDMAuthenticationSchemeBasic
    }

    /// ``addBasicAuthenticationHeader(withUsername:andPassword:)`` under the vendor's name.
    public func addBasicAuthenticationHeaderWithUsername(_ username: String, andPassword password: String) {
        addBasicAuthenticationHeader(withUsername: username, andPassword: password)
    }

    /// Sets `Authorization` for Basic if `authenticationScheme` is Basic and the app has set credentials but no such
    /// field. Each attempt does the same, so a call is not needed.
    public func applyAuthorizationHeader() {
        let settings = self.settings
        guard settings.presentsBasic, let username = settings.username, let password = settings.password else { return }
        generateHeader("Authorization", Self.basic(username, password))
    }

    /// Sets `Cookie` to the request's cookies and those of the session. Each attempt does the same for its URL.
    public func applyCookieHeader() {
        guard let cookies = cookieHeader else { return }
        generateHeader("Cookie", cookies)
    }

    /// The request's cookies, then those of the session; nil without any.
    var cookieHeader: String? {
        let settings = self.settings
        var pairs = settings.requestCookies.map { "\($0.name)=\($0.value)" }
        if settings.useCookiePersistence, let url = settings.url {
            let kept = session.cookies.cookies(for: url).map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
            // Checked afterwards: after `clear()`, the cookies are those of another user.
            if belongsToSession { pairs += kept }
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    /// Sets the fields that the library makes.
    func buildOwnRequestHeaders() {
        let settings = self.settings
        let languages = settings.shouldAutosetLanguage ? session.configuration.preferredLanguages() : []
        state.withLock { state in
            state.headers.removeGenerated()
            if let userAgent = session.configuration.userAgent { state.headers.generate("User-Agent", userAgent) }
            // The engine accepts compressed responses on its own, unless this field says otherwise. A resumed download
            // continues the bytes of the file, which are not compressed.
            let isCompressed = settings.allowCompressedResponse && !settings.allowResumeForFileDownloads
            state.headers.generate("Accept-Encoding", isCompressed ? "gzip" : "identity")
            if !languages.isEmpty { state.headers.generate("Accept-Language", languages.joined(separator: ", ")) }
            guard settings.isTracingEnabled else { return }
            let passport = state.passport ?? TracePassport()
            state.passport = passport
            state.headers.generate(TracePassport.passportHeader, passport.text)
            state.headers.generate(TracePassport.correlationHeader, passport.correlationID)
        }
    }

    private static func basic(_ username: String, _ password: String) -> String {
        "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
    }
}

extension SDMRequestSettings {
    /// True when the app's credentials go out before a challenge.
    var presentsBasic: Bool {
        shouldPresentCredentialsBeforeChallenge
            && authenticationScheme?.lowercased() == SDMAuthenticationSchemeBasic.lowercased()
    }
}
