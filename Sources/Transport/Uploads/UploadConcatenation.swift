import Foundation

/// The place of a tus upload among those that are joined (tus 1.0, Concatenation).
enum UploadConcatenation: Hashable, Sendable {
    case partial
    /// The upload that is made of others, in this order. It has no content of its own.
    case final([URL])

    var isFinal: Bool { self != .partial }

    /// The value of `Upload-Concat`.
    var field: String {
        switch self {
        case .partial: "partial"
        case .final(let parts): "final;" + parts.map(\.absoluteString).joined(separator: " ")
        }
    }
}

extension UploadOptions {
    /// The value of `Upload-Metadata`; nil without metadata.
    var metadataField: String? {
        guard !metadata.isEmpty else { return nil }
        return metadata.sorted { $0.key < $1.key }
            .map { "\($0.key) \(Data($0.value.utf8).base64EncodedString())" }.joined(separator: ",")
    }
}
