public import Foundation
public import HTTPMessages
import Synchronization

/// The content codings that servers accept in requests, learned from `Accept-Encoding` in their responses (RFC 9110,
/// section 12.5.3).
///
/// Layers that share it learn together. It holds up to 256 origins; beyond that, one of them is learned again.
public final class AcceptedCodings: Sendable {
    private static let capacity = 256

    private let preferred: [ContentCoding]
    /// The preferred coding of each origin; an entry with nil accepts none.
    private let learned = Mutex<[Origin: ContentCoding?]>([:])

    /// Creates a table without an origin.
    /// - Parameter preferred: the codings to use, the best one first; those without a library are left out.
    public init(preferring preferred: [ContentCoding] = [.zstd, .gzip]) {
        self.preferred = preferred.filter(\.isAvailable)
    }

    /// The coding for requests to the origin of a URL; nil if none is known to be accepted.
    public func coding(for url: URL) -> ContentCoding? { learned.withLock { $0[Origin(url)] ?? nil } }

    /// Learns from the `Accept-Encoding` of a response, if there is one.
    func receive(_ head: HTTPResponseHead) {
        let values = head.fields.values(of: .acceptEncoding)
        guard !values.isEmpty else { return }
        let weights = AcceptEncoding(values.joined(separator: ","))
        set(preferred.first { weights.accepts($0.name) }, for: head.url)
    }

    /// Remembers that a server accepts no coding.
    func refuse(at url: URL) { set(nil, for: url) }

    private func set(_ coding: ContentCoding?, for url: URL) {
        let origin = Origin(url)
        learned.withLock { learned in
            if learned.count >= Self.capacity, learned[origin] == nil, let other = learned.keys.first {
                learned.removeValue(forKey: other)
            }
            learned.updateValue(coding, forKey: origin)
        }
    }
}

/// The value of an `Accept-Encoding` field.
struct AcceptEncoding {
    private var weights: [String: Bool] = [:]

    init(_ value: String) {
        for member in value.split(separator: ",").prefix(64) {
            let parts = member.split(separator: ";").map { String($0).trimmingHTTPWhitespace.lowercased() }
            guard let name = parts.first, name.isHTTPToken else { continue }
            // A weight of zero means not acceptable; a malformed one too.
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            weights[name] = weight > 0
        }
    }

    /// True if a coding, other than identity, may be used.
    func accepts(_ name: String) -> Bool { weights[name] ?? weights["*"] ?? false }
}
