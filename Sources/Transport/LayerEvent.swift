/// A progress event that a layer defines, as a value of its own type.
///
/// Observers receive it as ``TransferEvent/layer(_:)`` and cast it to the types that they know:
///
/// ```swift
/// if case .layer(let event as RetryEvent) = event { print(event.attempt) }
/// ```
///
/// `description` must not contain secrets.
public protocol LayerEvent: Hashable, Sendable, CustomStringConvertible {}
