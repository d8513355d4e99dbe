// The parts of Grafana's classic dashboard JSON that the preview reads.
import type { DataTransformerConfig, FieldConfigSource } from '@grafana/data';

export interface Dashboard {
  /** Its file, without .json. */
  name: string;
  uid: string;
  title: string;
  tags?: string[];
  time?: { from: string; to: string };
  templating?: { list?: Variable[] };
  annotations?: { list?: AnnotationQuery[] };
  links?: Link[];
  panels: Panel[];
}

export interface Variable {
  name: string;
  type: string;
  label?: string;
  /** 0: shown, 1: without its label, 2: hidden. */
  hide?: number;
  query?: string | { query: string };
  regex?: string;
  includeAll?: boolean;
  multi?: boolean;
  allValue?: string;
  /** 0: as the data source gives them. */
  sort?: number;
  current?: { value?: string | string[] };
}

export interface AnnotationQuery {
  name: string;
  enable?: boolean;
  hide?: boolean;
  iconColor?: string;
  expr?: string;
  target?: { expr?: string };
}

export interface Link {
  title: string;
  type?: string;
  url?: string;
  tags?: string[];
  icon?: string;
  asDropdown?: boolean;
}

export interface Target {
  refId: string;
  expr?: string;
  format?: string;
  instant?: boolean;
  range?: boolean;
  interval?: string;
  legendFormat?: string;
  hide?: boolean;
}

export interface Panel {
  id: number;
  type: string;
  title?: string;
  description?: string;
  transparent?: boolean;
  collapsed?: boolean;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Target[];
  transformations?: DataTransformerConfig[];
  fieldConfig?: FieldConfigSource;
  // Each panel type has options of its own; the components read them as Grafana's panels do.
  options?: Record<string, any>;
  links?: Link[];
  panels?: Panel[];
  timeFrom?: string;
  interval?: string;
  maxDataPoints?: number;
}
