import Foundation
import HTTPMessages

extension ResponseDecodingError {
    /// Creates the error for an unacceptable status, with an excerpt of the body or the redirect target.
    init(unacceptable response: HTTPResponse) {
        self.init(
            .unacceptableStatus, response.head.addingNotes(to: Self.text(of: response)), response: response)
    }

    private static func text(of response: HTTPResponse) -> String {
        if response.status.kind == .redirection, let target = response.redirectTarget {
            return "\(response.status): redirect to \(target) not followed; use the layer `Redirecting`."
        }
        return response.excerpt.map { "\(response.status): \($0)" } ?? "\(response.status)"
    }
}

extension HTTPResponse {
    /// The redacted redirect target.
    fileprivate var redirectTarget: String? {
        fields[.location].flatMap { URL(string: $0, relativeTo: url) }.map { Redaction.standard.redacted($0) }
    }
}
