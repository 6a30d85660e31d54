import '@postshelf/browser/styles/controls.css';
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components';

export interface TextFieldProps extends AriaTextFieldProps {
  readonly label: string;
  readonly description?: string;
  /** The service's error about the value. */
  readonly error?: string | undefined;
  /** Number of text lines. Default: 1. */
  readonly rows?: number;
}

export const TextField = ({ label, description, error, rows = 1, ...props }: TextFieldProps) => (
  <AriaTextField {...props} isInvalid={error !== undefined} className="field">
    <Label>{label}</Label>
    {rows > 1 ? <TextArea rows={rows} dir="auto" /> : <Input dir="auto" />}
    {description && <Text slot="description">{description}</Text>}
    <FieldError>{error}</FieldError>
  </AriaTextField>
);
