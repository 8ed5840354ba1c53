import Foundation
import HTTPMessages

extension ResponseDecodingError {
    /// The error for a status that is not accepted: the status, and what the server says of it.
    init(unacceptable response: HTTPResponse) {
        self.init(.unacceptableStatus, Self.text(of: response), response: response)
    }

    private static func text(of response: HTTPResponse) -> String {
        if response.status.kind == .redirection, let target = response.redirectTarget {
            return "\(response.status): redirects to \(target); send through `Redirecting` to follow."
        }
        return response.excerpt.map { "\(response.status): \($0)" } ?? "\(response.status)"
    }
}

extension HTTPResponse {
    /// Where the response redirects to, without secrets.
    fileprivate var redirectTarget: String? {
        fields[.location].flatMap { URL(string: $0, relativeTo: url) }.map { Redaction.standard.text(of: $0) }
    }
}
