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

    /// Creates a decoder for the value of `Content-Encoding`.
    /// - Returns: nil for an unknown coding, and for several codings.
    func makeDecoder(for coding: String) -> (any ContentDecoder)? {
        switch coding.trimmingCharacters(in: .whitespaces).lowercased() {
        case "gzip", "x-gzip": zlib.flatMap { ZlibDecoder($0, .gzip) }
        case "deflate": zlib.flatMap { ZlibDecoder($0, .deflate) }
        case "br": brotli.flatMap { BrotliDecoder($0) }
        case "zstd": zstd.flatMap { ZstdDecoder($0) }
        default: nil
        }
    }
}
