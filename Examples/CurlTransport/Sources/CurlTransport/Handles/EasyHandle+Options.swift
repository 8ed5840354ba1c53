import CCurl
import Foundation

// Options of libcurl's handle, by the type of their value.

extension EasyHandle {
    func set(_ option: CurlOption, _ value: Int) {
        check(option, ccurl_easy_set_long(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: Int64) {
        check(option, ccurl_easy_set_int64(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: String) {
        // The memory of the string, where it has a terminator: it is copied only once, by libcurl.
        value.withCString { set(option, UnsafeRawPointer($0)) }
    }

    func set(_ option: CurlOption, _ value: UnsafeRawPointer?) {
        check(option, ccurl_easy_set_pointer(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: @escaping ccurl_data_callback) {
        check(option, ccurl_easy_set_data_callback(library.easySetOption, pointer, option.rawValue, value))
    }

    /// Sets an option to bytes, which libcurl copies.
    func set(_ option: CurlOption, _ value: Data) {
        value.withUnsafeBytes { bytes in
            withUnsafePointer(
                to: ccurl_blob(
                    data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: bytes.count,
                    flags: CurlConstant.copyBlob)
            ) { set(option, UnsafeRawPointer($0)) }
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, as libcurl takes them.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 0 }
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return max(0, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
