import Authentication
import HTTPMessages

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

// The vendor's methods for apps that send requests themselves, with the header field of a token.

extension WLAuthorizationManager {
    /// True if a response asks for a token: 401 or 403 with `Bearer`, or 409 with `MFP-Conflict`.
    public func isAuthorizationRequired(for response: URLResponse!) -> Bool {
        guard let response = response as? HTTPURLResponse else { return false }
        return isAuthorizationRequired(forResponseWithStatus: response.statusCode, headers: response.allHeaderFields)
    }
    /// ``isAuthorizationRequired(for:)`` with the label of the vendor's Swift class.
    public func isAuthorizationRequired(response: URLResponse) -> Bool { isAuthorizationRequired(for: response) }

    /// True if a status and headers ask for a token. Names of headers are case-insensitive.
    public func isAuthorizationRequired(forResponseWithStatus status: Int, headers: [AnyHashable: Any]!) -> Bool {
        let fields = Self.fields(headers)
        switch status {
        case 409: return fields["MFP-Conflict"] != nil
        case 401, 403: return Self.challenges(fields).contains { $0.scheme == "bearer" }
        default: return false
        }
    }
    /// ``isAuthorizationRequired(forResponseWithStatus:headers:)`` with the labels of the vendor's Swift class.
    public func isAuthorizationRequired(status: Int, headers: [AnyHashable: Any]!) -> Bool {
        isAuthorizationRequired(forResponseWithStatus: status, headers: headers)
    }

    /// The scope that a response asks for, as the server wrote it; nil if it names none.
    public func resourceScope(from response: URLResponse!) -> String! {
        resourceScope(fromResponseHeaders: (response as? HTTPURLResponse)?.allHeaderFields)
    }
    /// ``resourceScope(from:)`` with the label of the vendor's Swift class.
    public func resourceScope(fromResponse response: URLResponse!) -> String! { resourceScope(from: response) }

    /// The scope that headers ask for, as the server wrote it; nil if they name none.
    public func resourceScope(fromResponseHeaders headers: [AnyHashable: Any]!) -> String! {
        Self.challenges(Self.fields(headers)).lazy.filter { $0.scheme == "bearer" }.compactMap { $0["scope"] }.first
    }
    /// ``resourceScope(fromResponseHeaders:)`` with the label of the vendor's Swift class.
    public func resourceScope(responseHeaders: [AnyHashable: Any]!) -> String! {
        resourceScope(fromResponseHeaders: responseHeaders)
    }

    /// True for a failure status that a gateway in front of MobileFirst may have sent.
    public func isGatewayResponse(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse, !isAuthorizationRequired(for: response) else { return false }
        guard !(200..<300).contains(response.statusCode) else { return false }
        let values = Self.fields(response.allHeaderFields).values(of: .wwwAuthenticate)
        return !values.contains { $0.lowercased().hasPrefix("mfp-challenge") }
    }
    /// ``isGatewayResponse(_:)`` for a response of this module.
    public func isGatewayResponse(_ response: WLResponse!) -> Bool {
        guard let response = response?.httpResponse, !response.status.isSuccessful else { return false }
        let head = response.head
        let isToken = head.isConflictOfMobileFirst || head.challenges.contains { $0.scheme == "bearer" }
        return !isToken && !head.isChallengeOfMobileFirst
    }
    /// `isGatewayResponse(_:)` with the label of the vendor's Swift class.
    public func isGatewayResponse(response: URLResponse) -> Bool { isGatewayResponse(response) }

    private static func fields(_ headers: [AnyHashable: Any]?) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in headers ?? [:] { try? fields.append("\(name)", "\(value)") }
        return fields
    }

    private static func challenges(_ fields: HTTPFields) -> [AuthenticationChallenge] {
        AuthenticationChallenge.parse(fields.values(of: .wwwAuthenticate))
    }
}
