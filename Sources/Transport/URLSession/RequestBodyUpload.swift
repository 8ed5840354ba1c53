import Foundation
import HTTPMessages

/// The form in which a request body is passed to URLSession.
enum RequestBodyUpload: Hashable, Sendable {
    /// The forms that an engine supports.
    enum Support: Hashable, Sendable, CaseIterable {
        /// Bytes and files; other bodies are spooled to a file.
        case files
        #if !canImport(Darwin)
            /// Every body that can be read without blocking, as a ``RequestBodyStream``.
            ///
            /// Not on Apple's platforms: CFNetwork calls abstract methods of `InputStream` subclasses, which crashes
            /// the process (https://developer.apple.com/documentation/foundation/stream, "all subclasses must fully
            /// implement").
            case streams
        #endif

        /// The forms that this platform uses.
        static var platform: Support {
            #if canImport(Darwin)
                .files
            #else
                .streams
            #endif
        }
    }

    /// No body.
    case none
    /// `URLRequest.httpBody`.
    case bytes(Data)
    /// `URLRequest.httpBodyStream`, as a stream of the system's own class over the whole file.
    ///
    /// Not an upload task, which adds fields of its own to the request (`Upload-Complete` and
    /// `Upload-Draft-Interop-Version`, from iOS 17 on) that a caller can neither sign nor remove.
    case file(URL)
    #if !canImport(Darwin)
        /// `URLRequest.httpBodyStream`, as a ``RequestBodyStream``.
        case stream
    #endif
    /// The body must be collected by ``RequestBodySpool`` first.
    case spool

    /// True when the engine opens a file by its path.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// A new stream of the system's own class, from which the engine can send the body once more; nil if there is none.
    var systemStream: InputStream? {
        switch self {
        case .bytes(let data): InputStream(data: data)
        case .file(let url): InputStream(url: url)
        case .none, .spool: nil
        #if !canImport(Darwin)
            case .stream: nil
        #endif
        }
    }

    /// Multi-part bodies in memory up to this size are joined instead of spooled.
    private static let maximumJoinedSize = 65_536

    /// Chooses the form for a body.
    /// - Parameter size: returns the current size of a file, or nil if unknown.
    init(_ body: HTTPBody, for support: Support, size: (URL) -> Int64? = Self.size(of:)) {
        if body.isEmpty {
            self = .none
        } else if !body.isReplayable {
            self = .spool
        } else if body.length == 0 {
            self = .bytes(Data())
        } else {
            switch support {
            case .files: self = Self.whole(body, size: size)
            #if !canImport(Darwin)
                case .streams: self = .stream
            #endif
            }
        }
    }

    private static func whole(_ body: HTTPBody, size: (URL) -> Int64?) -> RequestBodyUpload {
        switch body.source {
        case .bytes(let data): return .bytes(data)
        // A file whose size has changed is spooled: reading it detects whether enough bytes are left.
        case .file(let file):
            return file.range.lowerBound == 0 && file.range.upperBound == size(file.url) ? .file(file.url) : .spool
        case .sequence:
            guard let length = body.length, length <= maximumJoinedSize, let joined = body.bytesInMemory else {
                return .spool
            }
            return .bytes(joined)
        case .empty, .generated, .stream: return .spool
        }
    }

    private static func size(of file: URL) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }
}

extension HTTPBody {
    /// The joined bytes, or nil unless all parts are in memory.
    fileprivate var bytesInMemory: Data? {
        switch source {
        case .empty: return Data()
        case .bytes(let data): return data
        case .sequence(let bodies):
            var joined = Data()
            for body in bodies {
                guard let data = body.bytesInMemory else { return nil }
                joined.append(data)
            }
            return joined
        case .file, .generated, .stream: return nil
        }
    }
}
