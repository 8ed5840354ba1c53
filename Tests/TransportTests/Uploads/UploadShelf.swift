import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

@testable import Transport

/// A server of resumable uploads by both protocols, which loses connections when it is told so.
final class UploadShelf: HTTPService {
    private struct Stored {
        var bytes = Data()
        var length: Int
        var isComplete = false
    }
    private struct State {
        var uploads: [String: Stored] = [:]
        var requests: [HTTPRequest] = []
        /// The bytes that the next parts keep before the connection is lost; nil for all of them.
        var cuts: [Int?] = []
        var lastNumber = 0
        /// The status of the response to the next complete upload.
        var failure: HTTPStatus?
    }

    private let state = Mutex(State())
    private let kind: UploadProtocol.Kind
    private let limit: Int?

    init(_ kind: UploadProtocol.Kind, limit: Int? = nil) { (self.kind, self.limit) = (kind, limit) }

    var requests: [HTTPRequest] { state.withLock(\.requests) }
    var methods: [String] { requests.map(\.method.name) }
    /// The complete uploads, in the order of their names.
    var complete: [Data] {
        state.withLock { $0.uploads.sorted { $0.key < $1.key }.filter(\.value.isComplete).map(\.value.bytes) }
    }

    /// Cuts the next parts after numbers of bytes.
    func cut(_ cuts: [Int?]) { state.withLock { $0.cuts += cuts } }
    /// Processes the next complete upload with this status.
    func fail(_ status: HTTPStatus) { state.withLock { $0.failure = status } }
    func forgetAll() { state.withLock { $0.uploads = [:] } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.body.collect()
        return try state.withLock { state in
            state.requests.append(request)
            switch request.method {
            case .post: return try create(request, &state)
            case .head: return try ask(request, &state)
            default: return try append(body, request, &state)
            }
        }
    }

    private func create(_ request: HTTPRequest, _ state: inout State) throws -> HTTPResponse {
        state.lastNumber += 1
        let name = "/uploads/\(state.lastNumber)"
        var stored = Stored(length: request.fields["Upload-Length"].flatMap { Int($0) } ?? 0)
        if let list = request.fields["Upload-Concat"], list.hasPrefix("final;") {
            for url in list.dropFirst("final;".count).split(separator: " ") {
                stored.bytes += state.uploads[URL(string: String(url))?.path() ?? ""]?.bytes ?? Data()
            }
            stored.isComplete = true
        }
        if kind == .tus && stored.length == 0 { stored.isComplete = true }
        state.uploads[name] = stored
        var fields = try HTTPFields(["Location": name])
        if let limit { fields["Upload-Limit"] = "max-append-size=\(limit), future=1" }
        return request.response(.created, fields: fields)
    }

    private func ask(_ request: HTTPRequest, _ state: inout State) throws -> HTTPResponse {
        guard let stored = state.uploads[request.url.path()] else { return request.response(.notFound) }
        return request.response(
            .noContent,
            fields: try HTTPFields([
                "Upload-Offset": "\(stored.bytes.count)", "Upload-Complete": stored.isComplete ? "?1" : "?0",
                "Upload-Length": "\(stored.length)", "Cache-Control": "no-store",
            ]))
    }

    private func append(_ body: Data, _ request: HTTPRequest, _ state: inout State) throws -> HTTPResponse {
        guard var stored = state.uploads[request.url.path()] else { return request.response(.notFound) }
        guard request.fields["Upload-Offset"] == "\(stored.bytes.count)" else {
            return request.response(
                .conflict, fields: try HTTPFields(["Upload-Offset": "\(stored.bytes.count)"]))
        }
        guard body.count <= limit ?? .max else {
            return request.response(
                .contentTooLarge, fields: try HTTPFields(["Upload-Limit": "max-append-size=\(limit ?? 0)"]))
        }
        let cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
        stored.bytes += body.prefix(cut ?? .max)
        let isLast = kind == .tus ? stored.bytes.count == stored.length : request.fields["Upload-Complete"] == "?1"
        stored.isComplete = isLast && stored.bytes.count == stored.length
        state.uploads[request.url.path()] = stored
        if cut != nil { throw TransportError(.connectionLost, "Cut.", request: request) }
        guard kind == .ietf else {
            return request.response(.noContent, fields: try HTTPFields(["Upload-Offset": "\(stored.bytes.count)"]))
        }
        // The response to a complete upload is that of its processing, and need not state an offset.
        guard stored.isComplete else {
            return request.response(.noContent, fields: try HTTPFields(["Upload-Complete": "?0"]))
        }
        return request.response(state.failure.take() ?? .created, fields: try HTTPFields(["Upload-Complete": "?1"]))
    }
}
