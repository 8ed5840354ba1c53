import Foundation
import HTTPMessages

/// The fields and the parameters of a query that a signer writes.
enum AWSSignatureFields {
    static let fields: [HTTPFieldName] =
        [.authorization]
        + [
            "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256", "X-Amz-Decoded-Content-Length",
        ].map { HTTPFieldName(signing: $0) }

    private static let parameters: Set<String> = [
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
        "X-Amz-Security-Token", "X-Amz-Signature",
    ]

    /// A URL without the parameters of an older signature; nil if it has none.
    static func removed(from url: URL) -> String? {
        var reference = URLReference(url.absoluteString[...])
        guard let pairs = reference.query?.split(separator: "&", omittingEmptySubsequences: false) else { return nil }
        let kept = pairs.filter { pair in
            !parameters.contains(String(decoding: pair.prefix { $0 != "=" }.utf8.percentDecoded(), as: UTF8.self))
        }
        guard kept.count < pairs.count else { return nil }
        reference.query = kept.isEmpty ? nil : kept.joined(separator: "&")[...]
        return reference.text
    }
}
