public import Foundation
public import HTTPMessages

/// A file that was downloaded to its end.
public struct DownloadedFile: Hashable, Sendable {
    /// Where it is.
    public let url: URL
    /// The head of the last response: 206 when an interrupted download was gone on with.
    public let head: HTTPResponseHead
    /// How many bytes the file has.
    public let byteCount: Int64
    /// How many of them were there before, from an earlier download.
    public let resumedBytes: Int64
}
