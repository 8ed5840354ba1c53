import Foundation
import HTTPMessages

/// The body of a request, collected in parts until it is built.
///
/// ```
/// open  -append-> open
/// open  -build->  built; later parts are ignored
/// ```
struct PostBody: Sendable {
    /// A part: bytes, a file that is read while it is sent, or a whole body.
    enum Part: Sendable {
        case bytes(Data)
        case file(String)
        case body(HTTPBody)
    }

    private(set) var parts: [Part] = []
    /// True after ``build()``.
    private(set) var isBuilt = false
    /// The body as built.
    private(set) var content = HTTPBody.empty
    /// The error of building the body, which fails the request at its start.
    private(set) var error: SDMError?

    /// Appends a part; an empty one and one after ``build()`` are ignored.
    mutating func append(_ part: Part) {
        if isBuilt { return }
        if case .bytes(let data) = part, data.isEmpty { return }
        parts.append(part)
    }

    /// Replaces all parts, unless the body is built.
    mutating func replace(with newParts: [Part]) {
        if isBuilt { return }
        parts = []
        for part in newParts { append(part) }
    }

    /// The bytes of all parts in memory; nil without parts, and with one of another kind.
    var data: Data? {
        guard !parts.isEmpty else { return nil }
        var data = Data()
        for part in parts {
            guard case .bytes(let bytes) = part else { return nil }
            data.append(bytes)
        }
        return data
    }

    /// The number of bytes; 0 for files that cannot be read.
    var length: Int64 { isBuilt ? content.length ?? 0 : ((try? makeContent()) ?? .empty).length ?? 0 }

    /// Fixes the content, or ``error``.
    mutating func build() {
        if isBuilt { return }
        isBuilt = true
        do throws(HTTPMessageError) {
            content = try makeContent()
        } catch {
            fail(SDMError(error))
        }
    }

    /// Fails the request, whose body cannot be made.
    mutating func fail(_ error: SDMError) { self.error = error }

    /// The same parts, not built yet.
    var unbuilt: PostBody {
        var copy = PostBody()
        copy.replace(with: parts)
        return copy
    }

    private func makeContent() throws(HTTPMessageError) -> HTTPBody {
        if let data { return .bytes(data) }
        var bodies: [HTTPBody] = []
        for part in parts {
            switch part {
            case .bytes(let data): bodies.append(.bytes(data))
            case .file(let path): bodies.append(try .file(at: URL(filePath: path)))
            case .body(let body): bodies.append(body)
            }
        }
        return bodies.count == 1 ? bodies[0] : bodies.isEmpty ? .empty : .sequence(bodies)
    }
}
