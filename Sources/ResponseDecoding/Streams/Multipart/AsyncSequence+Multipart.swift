public import Foundation
public import HTTPMessages

extension AsyncSequence where Element == Data {
    /// Parses these bytes as a multipart body: a form, mixed parts, byte ranges.
    /// - Parameters:
    ///   - mediaType: the media type of the body, with its boundary.
    ///   - limits: limits of parts, fields and sizes.
    /// - Throws: ``StreamDecodingError`` (`invalidBoundary`) if the media type is not `multipart/...`, or its boundary
    ///   is missing or invalid.
    public func multipart(
        _ mediaType: MediaType?, limits: MultipartLimits = .standard
    ) throws(StreamDecodingError) -> MultipartParts<Self> {
        MultipartParts(self, parser: try MultipartParser(mediaType, limits: limits))
    }
}

extension HTTPResponseStream {
    /// The parts of a multipart body while it arrives, of any status.
    ///
    /// ```swift
    /// for try await part in try await transport.stream(request).parts() { show(part.head) }
    /// ```
    /// - Throws: ``StreamDecodingError`` (`invalidBoundary`) if the media type is not `multipart/...`, or its boundary
    ///   is missing or invalid.
    public func parts(
        limits: MultipartLimits = .standard
    ) throws(StreamDecodingError) -> MultipartParts<HTTPBodyChunks> {
        try body.multipart(mediaType, limits: limits)
    }
}
