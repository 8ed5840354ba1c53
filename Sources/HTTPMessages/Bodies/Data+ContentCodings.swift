package import Foundation
import SystemLibraries

extension Data {
    /// The bytes before their content codings, in which secrets can be found.
    ///
    /// Nil for a coding other than gzip and deflate, invalid data, and more bytes than the limit.
    /// - Parameters:
    ///   - codings: the value of `Content-Encoding`.
    ///   - limit: the maximum of the result.
    package func decoded(_ codings: String, upTo limit: Int = 16 << 20) -> Data? {
        let codings = codings.contentCodings
        // No client applies more.
        guard codings.count <= 3 else { return nil }
        var data = self
        for coding in codings.reversed() {
            guard let decoded = data.decoded(coding: coding, upTo: limit) else { return nil }
            data = decoded
        }
        return data
    }

    private func decoded(coding: String, upTo limit: Int) -> Data? {
        switch coding {
        case "gzip", "x-gzip": try? Inflater.inflate(self, as: .gzip, upTo: limit)
        case "deflate":
            // Some senders leave out the container of the format.
            (try? Inflater.inflate(self, as: .zlib, upTo: limit))
                ?? (try? Inflater.inflate(self, as: .raw(windowBits: 15), upTo: limit))
        default: nil
        }
    }
}

extension HTTPFields {
    /// The codings of the body, in the order in which they were applied; nil without one.
    package var contentCoding: String? {
        let value = values(of: .contentEncoding).joined(separator: ",")
        return value.contentCodings.isEmpty ? nil : value
    }
}

extension String {
    /// The codings of `Content-Encoding` other than `identity`, in lower case.
    package var contentCodings: [String] {
        split(separator: ",").map { String($0).trimmingHTTPWhitespace.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }
}
