import Foundation

/// The address sanitizer, with which a test needs several times the stack and the memory.
public enum AddressSanitizer {
    /// True if this process was built with it.
    public static let isOn = dlsym(nil, "__asan_init") != nil
}
