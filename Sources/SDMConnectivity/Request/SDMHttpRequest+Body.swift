public import Foundation
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// Appends bytes to the body; empty data and data after ``buildPostBody()`` are ignored.
    public func appendPost(_ data: Data) { state.withLock { $0.body.append(.bytes(data)) } }

    /// ``appendPost(_:)`` under the vendor's name.
    public func appendPostData(_ data: Data) { appendPost(data) }

    /// Appends the content of a file to the body; a file that cannot be read fails the request when it starts.
    ///
    /// The file is read now, or with `shouldStreamPostDataFromDisk` while it is sent.
    public func appendPostData(fromFile path: String) {
        if !self.shouldStreamPostDataFromDisk, let data = FileManager.default.contents(atPath: path) {
            appendPost(data)
        } else {
            state.withLock { $0.body.append(.file(path)) }
        }
    }

    /// The body in memory; nil without a body and with files. Setting it replaces what was appended.
    public var postBody: Data! {
        get { state.withLock(\.body.data) }
        set { state.withLock { $0.body.replace(with: newValue.map { [.bytes($0)] } ?? []) } }
    }

    /// The number of bytes of the body, before compression.
    public var postLength: Int64 { state.withLock(\.body.length) }

    /// True after ``buildPostBody()``.
    public var haveBuiltPostBody: Bool { state.withLock(\.body.isBuilt) }

    /// Fixes the body, and what follows from it.
    func buildOwnPostBody() {
        state.withLock { state in
            if state.body.isBuilt { return }
            if let path = state.settings.postBodyFilePath { state.body.replace(with: [.file(path)]) }
            state.body.build()
            let length = state.body.length
            guard length > 0 else { return }
            state.settings.setMethodForBody()
            state.settings.shouldAttemptPersistentConnection = false
            state.headers.set("Content-Length", to: String(length), isGenerated: false)
        }
    }
}
