@_exported import Foundation
@_exported import Observation

// What this library, its examples and its pages use of SwiftUI, with Apple's signatures (isolation and sendability included) and no content: enough to
// check types where there is no SwiftUI. See Scripts/check-apple.py and SwiftUIExampleTests.

// MARK: - Views

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a view without content") }
}

/// A view that has no others inside.
public protocol Leaf: View where Body == Never {}

extension Leaf {
    public var body: Never { fatalError("a view without content") }
}

/// What a modifier returns.
public struct Modified: Leaf { nonisolated init() {} }

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { Either() }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> { Either() }
}

public struct TupleView<Content>: Leaf { nonisolated init() {} }
public struct Either<First: View, Second: View>: Leaf { nonisolated init() {} }

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a view without content") }
}

// MARK: - Texts and controls

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: DefaultStringInterpolation) {}
}

public struct Text: Leaf {
    public struct DateStyle: Sendable {
        public static let relative = DateStyle()
    }

    nonisolated public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload nonisolated public init<Content: StringProtocol>(_ content: Content) {}
    nonisolated public init(_ date: Date, style: Text.DateStyle) {}
}

public struct Label<Title: View, Icon: View>: Leaf {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) where Title == Text, Icon == Never {}
    @_disfavoredOverload
    nonisolated public init<Content: StringProtocol>(_ title: Content, systemImage name: String) where Title == Text, Icon == Never {}
}

public struct ProgressView: Leaf {
    nonisolated public init() {}
}

public struct Spacer: Leaf {
    nonisolated public init() {}
}

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
}

public struct Button<Label: View>: Leaf {
    nonisolated public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) where Label == Text {}
    nonisolated public init(_ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void)
    where Label == Text {}
    @_disfavoredOverload
    nonisolated public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) where Label == Text {}
}

public struct TextField<Label: View>: Leaf {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) where Label == Text {}
}

public struct Toggle<Label: View>: Leaf {
    nonisolated public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) where Label == Text {}
}

// MARK: - Containers

public struct Form<Content: View>: Leaf {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}

public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}

public struct VerticalAlignment: Equatable, Sendable {
    public static let center = VerticalAlignment()
}

public struct HStack<Content: View>: Leaf {
    nonisolated public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

public struct VStack<Content: View>: Leaf {
    nonisolated public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

public struct Section<Parent: View, Content: View, Footer: View>: Leaf {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) where Parent == Text, Footer == Never {}
    @_disfavoredOverload
    nonisolated public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content)
    where Parent == Text, Footer == Never {}
}

public struct LabeledContent<Label: View, Content: View>: Leaf {
    @_disfavoredOverload
    nonisolated public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) where Label == Text {}
}

public struct NavigationStack<Data, Root: View>: Leaf {
    nonisolated public init(@ViewBuilder root: () -> Root) where Data == Never {}
}

public struct NavigationLink<Label: View, Destination: View>: Leaf {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) where Label == Text {}
    @_disfavoredOverload
    nonisolated public init<Title: StringProtocol>(_ title: Title, @ViewBuilder destination: () -> Destination) where Label == Text {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Leaf {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where ID == Data.Element.ID, Data.Element: Identifiable {}
    nonisolated public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

public struct List<SelectionValue: Hashable, Content: View>: Leaf {
    nonisolated public init(@ViewBuilder content: () -> Content) where SelectionValue == Never {}
    nonisolated public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where SelectionValue == Never, Content == ForEach<Data, ID, Row> {}
    nonisolated public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where SelectionValue == Never, Content == ForEach<Data, Data.Element.ID, Row>, Data.Element: Identifiable {}
}

// MARK: - Modifiers

public protocol ShapeStyle: Sendable {}

public struct Color: Leaf, ShapeStyle { nonisolated init() {} }

extension ShapeStyle where Self == Color {
    public static var red: Color { Color() }
}

public struct Font: Hashable, Sendable {
    public static let caption = Font()
}

public enum HorizontalEdge: Sendable { case leading, trailing }

extension View {
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { Modified() }
    nonisolated public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { Modified() }
    nonisolated public func disabled(_ disabled: Bool) -> some View { Modified() }
    nonisolated public func font(_ font: Font?) -> some View { Modified() }
    nonisolated public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { Modified() }
    nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { Modified() }
    nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { Modified() }
    @_disfavoredOverload nonisolated public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { Modified() }
    nonisolated public func searchable(text: Binding<String>) -> some View { Modified() }
    nonisolated public func onChange<Value: Equatable>(of value: Value, initial: Bool = false, _ action: @escaping () -> Void) -> some View
    {
        Modified()
    }
    nonisolated public func swipeActions<Content: View>(
        edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> Content
    ) -> some View { Modified() }
    nonisolated public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { Modified() }
    nonisolated public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        Modified()
    }
}

// MARK: - Data

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let value: Value

    public init(wrappedValue value: Value) { self.value = value }
    public init(initialValue value: Value) { self.value = value }

    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError("a state without content") }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    @preconcurrency
    public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}

    public var wrappedValue: Value {
        get { fatalError("a binding without content") }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError("a binding without content")
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues: Sendable {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { key.defaultValue }
        set {}
    }
    public var dismiss: DismissAction { DismissAction() }
}

@MainActor @preconcurrency
public struct DismissAction {
    nonisolated init() {}
    public func callAsFunction() {}
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("an environment without content") }
}

extension Environment: Sendable where Value: Sendable {}

// MARK: - Animation

public struct Animation: Equatable, Sendable {
    public static let `default` = Animation()
}

public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result { try body() }
