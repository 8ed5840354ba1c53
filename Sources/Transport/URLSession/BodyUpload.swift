import Foundation
import HTTPMessages

/// The form in which URLSession is given a request's body.
enum BodyUpload: Hashable, Sendable {
    /// What an engine can take.
    enum Means: Hashable, Sendable, CaseIterable {
        /// Bytes and files only. A body of another kind is spooled, which makes it a file.
        case files
        #if !canImport(Darwin)
            /// Any body that can be read without waiting, as a stream of our own.
            ///
            /// Not on Apple's platforms: CFNetwork calls methods of a stream that Foundation leaves abstract, which ends the
            /// process (https://developer.apple.com/documentation/foundation/stream, "all subclasses must fully
            /// implement").
            case streams
        #endif

        /// What the engine of this platform takes best.
        static var platform: Means {
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
    /// `URLSession.uploadTask(with:fromFile:)`.
    case file(URL)
    #if !canImport(Darwin)
        /// `URLRequest.httpBodyStream`.
        case stream
    #endif
    /// None yet: ``BodySpool`` makes a body of it that has one.
    case spool

    /// True when the engine opens a file by its name.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// Small bodies of several parts in memory are joined rather than spooled.
    private static let longestJoint = 65_536

    /// The form for a body.
    /// - Parameter size: the size of a file now, nil when it cannot be told.
    init(_ body: HTTPBody, by means: Means, size: (URL) -> Int64? = Self.size(of:)) {
        if body.isEmpty {
            self = .none
        } else if !body.isReplayable {
            self = .spool
        } else if body.length == 0 {
            self = .bytes(Data())
        } else {
            switch means {
            case .files: self = Self.whole(body, size: size)
            #if !canImport(Darwin)
                case .streams: self = .stream
            #endif
            }
        }
    }

    private static func whole(_ body: HTTPBody, size: (URL) -> Int64?) -> BodyUpload {
        switch body.source {
        case .bytes(let data): return .bytes(data)
        // A file that was changed is read by us, which finds out what is wrong with it, or that enough of it is left.
        case .file(let file):
            return file.range.lowerBound == 0 && file.range.upperBound == size(file.url) ? .file(file.url) : .spool
        case .sequence:
            guard let length = body.length, length <= longestJoint, let joint = body.bytesInMemory else {
                return .spool
            }
            return .bytes(joint)
        case .empty, .generated, .stream: return .spool
        }
    }

    private static func size(of file: URL) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }
}

extension HTTPBody {
    /// The bytes in one piece, unless some of them are elsewhere than in memory.
    fileprivate var bytesInMemory: Data? {
        switch source {
        case .empty: return Data()
        case .bytes(let data): return data
        case .sequence(let bodies):
            var joint = Data()
            for body in bodies {
                guard let data = body.bytesInMemory else { return nil }
                joint.append(data)
            }
            return joint
        case .file, .generated, .stream: return nil
        }
    }
}
