import CCurl
import Glibc

/// Function table of libcurl, with the types of `curl.h` and `multi.h`. Handles are pointers.
///
/// A class, so that handles hold one reference instead of all function pointers.
final class CurlLibrary: Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias Make = @convention(c) @Sendable () -> Handle?
    typealias Duplicate = @convention(c) @Sendable (Handle) -> Handle?
    typealias Release = @convention(c) @Sendable (Handle?) -> Void
    typealias Result = @convention(c) @Sendable (Handle?) -> CInt
    typealias Variadic = @convention(c) @Sendable () -> Void
    typealias Pair = @convention(c) @Sendable (Handle?, Handle?) -> CInt
    typealias Act =
        @convention(c) @Sendable (Handle?, _ descriptor: CInt, _ mask: CInt, UnsafeMutablePointer<CInt>?) -> CInt
    typealias Timeout = @convention(c) @Sendable (Handle?, UnsafeMutablePointer<CLong>?) -> CInt
    typealias ReadMessage =
        @convention(c) @Sendable (Handle?, UnsafeMutablePointer<CInt>?) -> UnsafeMutablePointer<ccurl_message>?
    typealias AppendString = @convention(c) @Sendable (Handle?, UnsafePointer<CChar>?) -> Handle?
    typealias Text = @convention(c) @Sendable (CInt) -> UnsafePointer<CChar>?
    typealias Pause = @convention(c) @Sendable (Handle?, CInt) -> CInt
    typealias Receive =
        @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>?) -> CInt
    typealias Send = @convention(c) @Sendable (Handle?, UnsafeRawPointer?, Int, UnsafeMutablePointer<Int>?) -> CInt
    typealias GlobalInit = @convention(c) @Sendable (CLong) -> CInt
    typealias VersionInfo = @convention(c) @Sendable (CInt) -> UnsafePointer<ccurl_version_info>?
    typealias Version = @convention(c) @Sendable () -> UnsafePointer<CChar>?

    /// The version as text, with the versions of the libraries that it uses.
    let versionText: String
    let version: CurlVersion
    let easyInit: Make
    let easyCleanup: Release
    let easyDuplicate: Duplicate
    let easySetOption: Variadic
    let easyGetInfo: Variadic
    let easyPause: Pause
    let easyReceive: Receive
    let easySend: Send
    private let errorText: Text
    let multiInit: Make
    let multiCleanup: Result
    let multiSetOption: Variadic
    let multiAdd: Pair
    let multiRemove: Pair
    let multiAct: Act
    let multiTimeout: Timeout
    let multiReadMessage: ReadMessage
    let shareInit: Make
    let shareCleanup: Result
    let shareSetOption: Variadic
    let listAppend: AppendString
    let listFree: Release

    /// Loads and initializes libcurl at run time, so that the build needs no header or development package.
    /// - Throws: ``CurlError`` (`missingLibrary`, `outdatedLibrary`, `missingFunction`).
    init(from name: String = "libcurl.so.4", minimum: CurlVersion = .minimum) throws(CurlError) {
        guard let library = SharedLibrary(name) else {
            throw CurlError(
                .missingLibrary,
                "Cannot load shared library \(name); install libcurl \(minimum) or later (Debian: libcurl4).")
        }
        let versionInfo: VersionInfo = try library.function("curl_version_info")
        guard let info = versionInfo(0)?.pointee else {
            throw CurlError(.missingFunction, "\(name) returns no version; install libcurl \(minimum) or later.")
        }
        version = CurlVersion(number: Int(info.number), features: info.features)
        guard version >= minimum else {
            throw CurlError(
                .outdatedLibrary, "\(name) is libcurl \(version), which is too old; install \(minimum) or later.")
        }
        guard version.hasTLS else {
            throw CurlError(
                .outdatedLibrary, "\(name) (libcurl \(version)) was built without TLS; install a build with TLS.")
        }
        let versionText: Version = try library.function("curl_version")
        self.versionText = versionText().map { String(cString: $0) } ?? "\(version)"
        easyInit = try library.function("curl_easy_init")
        easyCleanup = try library.function("curl_easy_cleanup")
        easyDuplicate = try library.function("curl_easy_duphandle")
        easySetOption = try library.function("curl_easy_setopt")
        easyGetInfo = try library.function("curl_easy_getinfo")
        easyPause = try library.function("curl_easy_pause")
        easyReceive = try library.function("curl_easy_recv")
        easySend = try library.function("curl_easy_send")
        errorText = try library.function("curl_easy_strerror")
        multiInit = try library.function("curl_multi_init")
        multiCleanup = try library.function("curl_multi_cleanup")
        multiSetOption = try library.function("curl_multi_setopt")
        multiAdd = try library.function("curl_multi_add_handle")
        multiRemove = try library.function("curl_multi_remove_handle")
        multiAct = try library.function("curl_multi_socket_action")
        multiTimeout = try library.function("curl_multi_timeout")
        multiReadMessage = try library.function("curl_multi_info_read")
        shareInit = try library.function("curl_share_init")
        shareCleanup = try library.function("curl_share_cleanup")
        shareSetOption = try library.function("curl_share_setopt")
        listAppend = try library.function("curl_slist_append")
        listFree = try library.function("curl_slist_free_all")
        let globalInit: GlobalInit = try library.function("curl_global_init")
        guard globalInit(3) == 0 else {
            throw CurlError(.missingLibrary, "\(name) cannot be initialized (curl_global_init).")
        }
    }

    /// Creates a list of lines, each terminated by NUL.
    func list(_ lines: [UInt8]) -> Handle? {
        var list: Handle?
        lines.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress {
                let line = (base + start).assumingMemoryBound(to: CChar.self)
                list = listAppend(list, line) ?? list
                start += strlen(line) + 1
            }
        }
        return list
    }

    /// The meaning of a result code (`CURLcode`).
    func text(of code: CInt) -> String { errorText(code).map { String(cString: $0) } ?? "code \(code)" }

    /// The system's libcurl, loaded once.
    static let system = Swift.Result { () throws(CurlError) in try CurlLibrary() }
}
