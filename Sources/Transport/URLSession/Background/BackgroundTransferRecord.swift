import Foundation
import HTTPMessages
import SystemLibraries

/// What is stored of a background transfer, as JSON, until its completion is acknowledged.
///
/// It has no secrets: neither fields of the request nor the query of its URL, which only the system keeps.
struct BackgroundTransferRecord: Codable, Hashable, Sendable {
    /// The state, as it is stored.
    enum Phase: Codable, Hashable, Sendable {
        case running
        /// A downloaded file of this many bytes is about to be moved beside its target.
        case receiving(StoredHead, size: Int64)
        /// A downloaded file is beside its target, and must only be moved.
        case received(StoredHead, StoredFile)
        case finished(StoredHead)
        case failed(BackgroundTransferFailure)
    }

    let id: UUID
    let name: String
    let isUpload: Bool
    /// The method and the redacted URL without its query.
    let request: String
    /// True for an https request: it may not be redirected to http.
    let isSecure: Bool
    let file: StoredPath
    /// For the order only.
    let created: Date
    var phase = Phase.running
    private(set) var version = 1

    init(id: UUID, name: String, isUpload: Bool, request: HTTPRequest, file: URL, created: Date = Date()) {
        (self.id, self.name, self.isUpload, self.file) = (id, name, isUpload, StoredPath(file))
        self.created = created
        let url = request.url.withoutQuery.map { Redaction.standard.redacted($0) }
        self.request = "\(request.method) \(url ?? Redaction.placeholder)"
        isSecure = request.origin.isSecure
    }

    /// Decodes a record; nil when it is damaged or of another version.
    init?(_ data: Data) {
        guard let record = try? JSONCoding.standard.decode(BackgroundTransferRecord.self, from: data),
            record.version == 1
        else { return nil }
        self = record
    }

    /// The encoded record.
    var data: Data { get throws { try JSONCoding.standard.encode(self) } }

    /// True once the transfer has its one completion.
    var isComplete: Bool {
        switch phase {
        case .running, .receiving, .received: false
        case .finished, .failed: true
        }
    }

    /// True while the system's events decide on the transfer.
    var isRunning: Bool {
        switch phase {
        case .running, .receiving: true
        case .received, .finished, .failed: false
        }
    }

    /// The file of a download between the system's folder and its target.
    var stagingFile: URL {
        file.url.deletingLastPathComponent().appending(
            path: ".patchbay-\(id.uuidString).download", directoryHint: .notDirectory)
    }

    /// The transfer for the app.
    func transfer(_ progress: TransferProgress?) -> BackgroundTransfer {
        let state: BackgroundTransfer.State =
            switch phase {
            case .running, .receiving, .received: .running
            case .finished(let head): head.head.map { .finished($0) } ?? .failed(.damaged)
            case .failed(let failure): .failed(failure)
            }
        let none = TransferProgress(isUpload ? .upload : .download, completed: 0, total: nil)
        return BackgroundTransfer(
            id: id, name: name, request: request, file: file.url, progress: progress ?? none, state: state)
    }
}

extension BackgroundTransferFailure {
    fileprivate static let damaged = BackgroundTransferFailure(.lost, "The record of the response is damaged.")
}

/// A path that stays valid when an update of the app moves its folders, as on iOS.
struct StoredPath: Codable, Hashable, Sendable {
    private let path: String
    /// True if the path starts in the home folder.
    private let isInHome: Bool

    private static let home = NSHomeDirectory()

    /// Stores a file below the home folder by its path in that.
    ///
    /// Both paths may have symbolic links, such as `/var` on iOS.
    init(_ url: URL, home: String = Self.home) {
        let home = URL(filePath: home, directoryHint: .isDirectory).resolvingSymlinksInPath().path
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
        let resolved = folder.appending(path: url.lastPathComponent, directoryHint: .notDirectory).path
        let start = home.hasSuffix("/") ? home : home + "/"
        isInHome = resolved.hasPrefix(start)
        path = isInHome ? String(resolved.dropFirst(start.count)) : url.path
    }

    /// The file, for the home folder of now.
    func url(home: String = Self.home) -> URL {
        isInHome
            ? URL(filePath: home, directoryHint: .isDirectory).appending(path: path, directoryHint: .notDirectory)
            : URL(filePath: path, directoryHint: .notDirectory)
    }

    var url: URL { url() }
}

/// A file, to know it again under another name in the same volume.
struct StoredFile: Codable, Hashable, Sendable {
    private let node: UInt64
    let size: Int64

    init(_ status: FileStatus) { (node, size) = (status.identity.node, status.size) }
}

/// The head of a response without secrets.
struct StoredHead: Codable, Hashable, Sendable {
    private let status: Int
    /// Names and values in turn.
    private let fields: [String]
    private let url: String

    /// - Parameter secrets: the names of fields that are left out, besides those of the standard policy.
    init(_ head: HTTPResponseHead, _ secrets: RedirectPolicy) {
        var secrets = secrets
        secrets.secrets.words.formUnion(Redaction.standard.words)
        status = head.status.code
        fields = head.fields.filter { !secrets.isSecret($0.name) && $0.name != .setCookie }
            .flatMap { [$0.name.rawName, secrets.secrets.redacted($0.value, of: $0.name)] }
        url = head.url.withoutQuery?.absoluteString ?? ""
    }

    /// Nil when it is damaged.
    var head: HTTPResponseHead? {
        guard let status = HTTPStatus(status), let url = URL(string: url) else { return nil }
        var head = HTTPResponseHead(status: status, url: url)
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = try? HTTPFieldName(fields[index]) else { continue }
            try? head.fields.append(name, fields[index + 1])
        }
        return head
    }
}

extension URL {
    /// The URL without query, fragment, user and password.
    fileprivate var withoutQuery: URL? {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.query = nil
        parts?.fragment = nil
        parts?.user = nil
        parts?.password = nil
        return parts?.url
    }
}
