import HTTPMessages
import RequestModel
import Transport

private enum CompressesBodyKey: RequestOptionKey { static var defaultValue: Bool { false } }

extension RequestOptions {
    /// Whether ``Compressing`` compresses the body; default false.
    var compressesBody: Bool {
        get { self[CompressesBodyKey.self] }
        set { self[CompressesBodyKey.self] = newValue }
    }
}

/// A layer that compresses the body of a request with gzip.
///
/// Compression takes time, so a layer that keeps requests in order belongs around this one.
struct Compressing<Base: Transport>: Transport {
    let base: Base

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(compressed(request), observer: observer)
    }

    private func compressed(_ request: HTTPRequest) throws(ORAError) -> HTTPRequest {
        guard request.options.compressesBody, !request.body.isEmpty else { return request }
        do {
            var request = request
            try request.setBody(try ContentCoding.gzip.encode(request.body))
            // Apps may have set this field themselves.
            if request.fields[.contentEncoding]?.lowercased() != ContentCoding.gzip.name {
                try request.fields.append(.contentEncoding, ContentCoding.gzip.name)
            }
            return request
        } catch {
            throw ORAError(unsendable: error)
        }
    }
}

extension Compressing: StreamingTransport where Base: StreamingTransport {
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await base.stream(compressed(request), observer: observer)
    }
}
