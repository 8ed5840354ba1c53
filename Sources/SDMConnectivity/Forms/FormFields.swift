import Foundation
import HTTPMessages
import RequestModel

/// The values and files of a form, in the order in which they were added.
struct FormFields: Sendable {
    /// The content of a file part.
    enum Content: Hashable, Sendable {
        case data(Data)
        /// A path; the file is read while it is sent.
        case file(String)
    }
    struct File: Hashable, Sendable {
        let key: String
        let content: Content
        let name: String
        let type: String
    }

    private(set) var values: [(key: String, value: String)] = []
    private(set) var files: [File] = []

    static let defaultFileName = "file"

    var isEmpty: Bool { values.isEmpty && files.isEmpty }

    mutating func add(_ value: String, for key: String) { values.append((key, value)) }
    mutating func removeValues(for key: String) { values.removeAll { $0.key == key } }
    mutating func add(_ file: File) { files.append(file) }
    mutating func removeFiles(for key: String) { files.removeAll { $0.key == key } }

    /// The body: URL-encoded, or multipart if that is wanted or a file is there.
    /// - Throws: `HTTPMessageError` (`unreadableFile`, `invalidMediaType`).
    func body(_ format: SDMPostFormat, charset: String.Encoding) throws(HTTPMessageError) -> RequestBody {
        let charset = charset.ofForms
        guard format == .multipart || !files.isEmpty else {
            let data = Query(values.map { Query.Item($0.key, $0.value) }).data(as: .percent, in: charset)
            var type = MediaType.form
            if let name = charset.charsetName { type = try type.with(parameter: "charset", name) }
            return .bytes(data, mediaType: type)
        }
        var form = Multipart(values.map { .text($0.key, $0.value, charset: charset) }, charset: charset)
        for file in files {
            let type = try MediaType(file.type)
            switch file.content {
            case .data(let data): form.parts.append(.bytes(file.key, data, fileName: file.name, mediaType: type))
            case .file(let path):
                form.parts.append(
                    try .file(file.key, at: URL(filePath: path), fileName: file.name, mediaType: type))
            }
        }
        return try form.body()
    }
}

/// The format of a form; the numbers are the vendor's.
public enum SDMPostFormat: Int, Hashable, Sendable, CaseIterable {
    /// `multipart/form-data`
    case multipart = 0
    /// `application/x-www-form-urlencoded`, unless the form has a file.
    case urlEncoded = 1
}
