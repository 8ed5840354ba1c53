import Foundation
import HTTPMessages

/// The content codings that can be decoded on this machine.
///
/// libcurl could decode bodies too, but it accepts truncated ones, and pausing it does not bound their decoded size.
struct ContentCodings: Sendable {
    private let zlib = try? ZlibLibrary()
    private let brotli = try? BrotliLibrary()
    private let zstd = try? ZstdLibrary()

    /// Those of the libraries that are installed; loaded once.
    static let system = ContentCodings()

    /// The value of `Accept-Encoding`; empty without any library.
    var acceptEncoding: String {
        ((zlib == nil ? [] : ["gzip", "deflate"]) + (brotli == nil ? [] : ["br"]) + (zstd == nil ? [] : ["zstd"]))
            .joined(separator: ", ")
    }

    /// More codings than this are not decoded: each may multiply the work.
    private static let maximumCodings = 2

    /// Creates a decoder for the value of `Content-Encoding`, a list in the order in which the codings were applied.
    /// - Returns: nil for no coding, too many codings, or an unknown one among them; the body then stays as it is.
    func makeDecoder(for codings: String) -> (any ContentDecoder)? {
        let names = codings.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !$0.isEmpty }
        guard (1...Self.maximumCodings).contains(names.count) else { return nil }
        var chain: (any ContentDecoder)?
        for name in names {
            guard let decoder = decoder(of: name) else { return nil }
            chain = chain.map { DecoderChain(decoder, then: $0) } ?? decoder
        }
        return chain
    }

    private func decoder(of coding: String) -> (any ContentDecoder)? {
        switch coding {
        case "gzip", "x-gzip": zlib.flatMap { ZlibDecoder($0, .gzip) }
        case "deflate": zlib.flatMap { ZlibDecoder($0, .deflate) }
        case "br": brotli.flatMap { BrotliDecoder($0) }
        case "zstd": zstd.flatMap { ZstdDecoder($0) }
        default: nil
        }
    }
}
