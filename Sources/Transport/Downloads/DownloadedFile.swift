public import Foundation
public import HTTPMessages

/// A completely downloaded file.
public struct DownloadedFile: Hashable, Sendable {
    /// The location of the file.
    public let url: URL
    /// The head of the last response; its status is 206 for a resumed download.
    public let head: HTTPResponseHead
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The number of bytes kept from an earlier, interrupted download.
    public let resumedBytes: Int64
}
