// What the Darwin branches of this package use of Darwin and Glibc does not have. Only types are checked with it.
@_exported import Glibc

// fcntl(2)
@_alwaysEmitIntoClient public var F_FULLFSYNC: Int32 { 51 }
@_alwaysEmitIntoClient public var F_BARRIERFSYNC: Int32 { 85 }
// setsockopt(2)
@_alwaysEmitIntoClient public var SO_NOSIGPIPE: Int32 { 0x1022 }
// posix_spawnattr_setflags(3)
@_alwaysEmitIntoClient public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }

// posix_spawn(2): the types are pointers there, not structures.
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
@discardableResult public func posix_spawn_file_actions_init(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
    fatalError()
}
@discardableResult public func posix_spawn_file_actions_destroy(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 {
    fatalError()
}
@discardableResult public func posix_spawn_file_actions_adddup2(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ from: Int32, _ to: Int32
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_init(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_destroy(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_setflags(_ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ flags: Int16) -> Int32 {
    fatalError()
}
@discardableResult public func posix_spawn(
    _ identifier: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>!, _ attributes: UnsafePointer<posix_spawnattr_t?>!,
    _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>!, _ settings: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { fatalError() }
