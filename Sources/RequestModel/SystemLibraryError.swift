public import SystemLibraries

/// Error of a system library, thrown by compression.
public typealias SystemLibraryError = SystemLibraries.SystemLibraryError
