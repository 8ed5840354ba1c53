import Foundation
import HTTPMessages
@_exported public import OData
import ResponseDecoding
import Synchronization

/// Typed results of a finished request. In asynchronous code, decode the response itself:
///
/// ```swift
/// let flights = try await request.response().decoded(as: .odataCollection(Flight.self)).values
/// ```
extension SDMHttpRequest {
    /// The service's error, if the status is 4xx or 5xx; nil otherwise, and before the request is finished.
    ///
    /// The body is parsed at the first access, that of a download from its file.
    public var odataError: ODataError? {
        if let known = state.withLock(\.results.odataError) { return known }
        guard let response = receivedResponse(upTo: 256 << 10) else { return nil }
        let error = ODataError(response)
        update { $0.odataError = .some(error) }
        return error
    }

    /// Decodes the entry of the response, that of a download from its file; call it in `requestFinished(_:)`.
    /// - Throws: `ODataError`, also before the request has a response; the errors of the type's own `init(from:)`.
    public func odataEntry<Value: Decodable & Sendable>(of type: Value.Type) throws -> ODataEntry<Value> {
        try decoded(as: .odataEntry(type))
    }

    /// Decodes the collection of the response, that of a download from its file; call it in `requestFinished(_:)`.
    /// - Throws: `ODataError`, also before the request has a response; the errors of the type's own `init(from:)`.
    public func odataCollection<Value: Decodable & Sendable>(of type: Value.Type) throws -> ODataCollection<Value> {
        try decoded(as: .odataCollection(type))
    }

    private func decoded<Decoder: ResponseDecoder>(as decoder: Decoder) throws -> Decoder.Output {
        guard let response = receivedResponse(upTo: maximumResponseBytes) else {
            throw ODataError(
                .unexpectedDocument, "The request has no response yet; decode it after the request has finished.")
        }
        return try response.decoded(as: decoder)
    }

    /// - Parameter limit: maximum bytes of a body that is read from the file of a download.
    private func receivedResponse(upTo limit: Int) -> HTTPResponse? {
        let (results, path) = state.withLock { ($0.results, $0.settings.downloadDestinationPath) }
        guard results.complete, let head = results.head else { return nil }
        // Else the file is that of an earlier response.
        let file = results.isInFile ? path.flatMap { FileHandle(forReadingAtPath: $0) } : nil
        return HTTPResponse(head: head, body: results.body ?? (try? file?.read(upToCount: limit)) ?? Data())
    }
}
