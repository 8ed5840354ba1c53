public import Foundation
import HTTPMessages
import RequestModel
import Synchronization

/// A POST of a form with values and files.
///
/// ```swift
/// let request = SDMFormDataRequest(url: url)
/// request.addPostValue("ann", forKey: "user")
/// request.setFile(path, forKey: "photo")
/// request.startAsynchronous()
/// ```
/// Values come first, then files, each in the order in which they were added. Without a file the form is URL-encoded,
/// and every character except letters, digits and `-._~` is percent-encoded, a space as `%20`. The method `PUT` stays;
/// `GET`, `HEAD` and `DELETE` become `POST`. A form without fields leaves the body to `appendPostData`.
open class SDMFormDataRequest: SDMHttpRequest, @unchecked Sendable {
    private struct Form: Sendable {
        var fields = FormFields()
        var format = SDMPostFormat.urlEncoded
        var encoding = String.Encoding.utf8
    }

    private let form = Mutex(Form())

    /// Creates a POST of a session.
    public required init(url: URL?, session: SDMSession) {
        super.init(url: url, session: session)
        setRequestMethod(HTTP_METHOD_POST)
    }

    /// The format; default ``SDMPostFormat/urlEncoded``. A form with a file is always multipart.
    public var postFormat: SDMPostFormat {
        get { form.withLock(\.format) }
        set { form.withLock { $0.format = newValue } }
    }

    /// The charset of keys and values, and of file names; default UTF-8.
    ///
    /// A character that it lacks becomes a reference such as `&#8364;`.
    public var stringEncoding: String.Encoding {
        get { form.withLock(\.encoding) }
        set { form.withLock { $0.encoding = newValue } }
    }

    // MARK: Values

    /// Adds a value, also if the key has one already.
    /// - Parameters:
    ///   - value: its description is sent: 1 or 0 for a Boolean, as by `NSNumber`; nil is an empty value.
    ///   - key: nil adds nothing.
    public func addPostValue(_ value: Any?, forKey key: String?) {
        add(value, key, replaces: false)
    }

    /// Adds a value, and removes earlier values of the key.
    public func setPostValue(_ value: Any?, forKey key: String?) {
        add(value, key, replaces: true)
    }

    private func add(_ value: Any?, _ key: String?, replaces: Bool) {
        guard let key else { return }
        // Code of the app, so it runs without the lock.
        let text = Self.text(value)
        form.withLock { form in
            if replaces { form.fields.removeValues(for: key) }
            form.fields.add(text, for: key)
        }
    }

    private static func text(_ value: Any?) -> String {
        guard let value else { return "" }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return text(mirror.children.first?.value) }
        let description = String(describing: value)
        // As the `NSNumber` that the vendor gets.
        if type(of: value) == Bool.self { return description == "true" ? "1" : "0" }
        let isWhole = value is any BinaryFloatingPoint && description.hasSuffix(".0")
        return isWhole ? String(description.dropLast(2)) : description
    }

    // MARK: Files

    /// Adds a file, which is read while it is sent.
    /// - Parameters:
    ///   - path: a missing file fails the request when it starts.
    ///   - fileName: sent to the server; default the last component of the path.
    ///   - contentType: default by the file's extension.
    ///   - key: nil adds nothing.
    public func addFile(
        _ path: String, withFileName fileName: String? = nil, andContentType contentType: String? = nil,
        forKey key: String?
    ) {
        add(Self.file(path, fileName, contentType, key), replaces: false)
    }

    /// Adds a file, and removes earlier files and data of the key.
    public func setFile(
        _ path: String, withFileName fileName: String? = nil, andContentType contentType: String? = nil,
        forKey key: String?
    ) {
        add(Self.file(path, fileName, contentType, key), replaces: true)
    }

    /// Adds bytes as a file.
    /// - Parameters:
    ///   - data: nil is an empty file.
    ///   - fileName: default `file`.
    ///   - contentType: default `application/octet-stream`.
    ///   - key: nil adds nothing.
    public func addData(
        _ data: Data?, withFileName fileName: String? = nil, andContentType contentType: String? = nil,
        forKey key: String?
    ) {
        add(Self.file(data, fileName, contentType, key), replaces: false)
    }

    /// Adds bytes as a file, and removes earlier files and data of the key.
    public func setData(
        _ data: Data?, withFileName fileName: String? = nil, andContentType contentType: String? = nil,
        forKey key: String?
    ) {
        add(Self.file(data, fileName, contentType, key), replaces: true)
    }

    private func add(_ file: FormFields.File?, replaces: Bool) {
        guard let file else { return }
        form.withLock { form in
            if replaces { form.fields.removeFiles(for: file.key) }
            form.fields.add(file)
        }
    }

    private static func file(_ path: String, _ name: String?, _ type: String?, _ key: String?) -> FormFields.File? {
        key.map { key in
            FormFields.File(
                key: key, content: .file(path), name: name ?? URL(filePath: path).lastPathComponent,
                type: type ?? MediaType(fileName: path).essence)
        }
    }

    private static func file(_ data: Data?, _ name: String?, _ type: String?, _ key: String?) -> FormFields.File? {
        key.map { key in
            FormFields.File(
                key: key, content: .data(data ?? Data()), name: name ?? FormFields.defaultFileName,
                type: type ?? MediaType.octetStream.essence)
        }
    }

    // MARK: Hooks

    /// Encodes the form as the body, at most once.
    open override func buildPostBody() {
        guard !haveBuiltPostBody else { return }
        let form = form.withLock(\.self)
        state.withLock { $0.settings.setMethodForBody() }
        if !form.fields.isEmpty {
            do throws(HTTPMessageError) {
                let body = try form.fields.body(form.format, charset: form.encoding)
                state.withLock { $0.body.replace(with: body.content.postParts) }
                // The boundary belongs to the body, so a field of the app's own would not fit.
                if let type = body.mediaType { addRequestHeader("Content-Type", value: type.description) }
            } catch {
                let failure = SDMError(.internalErrorWhileBuildingRequest, error.message, underlying: error)
                state.withLock { $0.body.fail(failure) }
            }
        }
        super.buildPostBody()
    }

    /// Returns an unstarted request with the same form and settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        let own = form.withLock(\.self)
        (copy as? SDMFormDataRequest)?.form.withLock { $0 = own }
        return copy
    }
}

extension HTTPBody {
    /// The body as parts, in order.
    fileprivate var postParts: [PostBody.Part] {
        switch source {
        case .sequence(let bodies): bodies.flatMap(\.postParts)
        case .bytes(let data): [.bytes(data)]
        case .file(let file): [.file(file.url.path)]
        default: []
        }
    }
}
